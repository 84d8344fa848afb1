import type { InferenceSurface } from '../../../contracts/surfaces.ts';
import type { Gate } from './gate.ts';

export interface Surface extends InferenceSurface {
  gate: Gate;
}

/** The dispatcher's own paths. */
export const ownSurface: InferenceSurface = {
  prefix: '',
  shape: 'dispatcher',
  access: { scope: 'inference', openable: true },
  aliases: new Map(),
  bots: true,
};
