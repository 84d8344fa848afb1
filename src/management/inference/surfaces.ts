import { Slot } from '../../contracts/management/deployments.ts';
import type { InferenceSurface } from '../../contracts/surfaces.ts';
import type { SlotDirectory } from '../deployments/slots/slot-directory.ts';

const access = { scope: 'inference', openable: true } as const;
/** Below `/api` every slot's model is reached by its name; below these, only that of one. */
const slotPrefixes: [string, Slot][] = [
  ['/inference', 'chat'],
  ...Slot.options.map((slot): [string, Slot] => [`/api/${slot}`, slot]),
];

/** As they are before anything is deployed. */
export function inferenceSurfaces(): InferenceSurface[] {
  return [
    { prefix: '/api', shape: 'management', access, aliases: new Map() },
    ...slotPrefixes.map(([prefix]): InferenceSurface => {
      const shape = prefix === '/inference' ? 'openai' : 'management';
      return { prefix, shape, access, aliases: new Map(), only: [] };
    }),
  ];
}

type SetAliases = (prefix: string, aliases: ReadonlyMap<string, string>, only?: readonly string[]) => void;

/** Tells the dispatcher what each surface may be asked for, now and whenever a slot changes. */
export function followSlots(directory: SlotDirectory, setAliases: SetAliases): void {
  const tell = () => {
    setAliases('/api', new Map(Slot.options.flatMap((slot) => [...directory.successors(slot)])));
    for (const [prefix, slot] of slotPrefixes) {
      setAliases(prefix, directory.successors(slot), directory.names(slot));
    }
  };
  directory.onChange(tell);
  tell();
}
