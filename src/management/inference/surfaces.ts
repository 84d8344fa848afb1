import { Slot } from '../../contracts/management/deployments.ts';
import type { Access } from '../../platform/http/access.ts';
import type { ErrorShape } from '../../platform/http/errors/problem-shapes.ts';
import type { SlotDirectory } from '../deployments/slots/slot-directory.ts';

/** A place where requests for models are passed on to the dispatcher. */
export interface InferenceSurface {
  prefix: string;
  shape: ErrorShape;
  access: Access;
  /** The served name behind a name that callers may use. */
  aliases: Record<string, string>;
  /** The served names that can be asked for here; absent: all there are. */
  only?: readonly string[];
}

const access = { scope: 'inference', openable: true } as const;
/** Below `/api` every slot's model is reached by its name; below these, only that of one. */
const slotPrefixes: [string, Slot][] = [
  ['/inference', 'chat'],
  ...Slot.options.map((slot): [string, Slot] => [`/api/${slot}`, slot]),
];

/** As they are before anything is deployed. */
export function inferenceSurfaces(): InferenceSurface[] {
  return [
    { prefix: '/api', shape: 'management', access, aliases: {} },
    ...slotPrefixes.map(([prefix]): InferenceSurface => {
      const shape = prefix === '/inference' ? 'openai' : 'management';
      return { prefix, shape, access, aliases: {}, only: [] };
    }),
  ];
}

type SetAliases = (prefix: string, aliases: Record<string, string>, only?: readonly string[]) => void;

/** Tells the dispatcher what each surface may be asked for, now and whenever a slot changes. */
export function followSlots(directory: SlotDirectory, setAliases: SetAliases): void {
  const tell = () => {
    setAliases('/api', Object.assign({}, ...Slot.options.map((slot) => directory.successors(slot))));
    for (const [prefix, slot] of slotPrefixes) {
      setAliases(prefix, directory.successors(slot), directory.names(slot));
    }
  };
  directory.onChange(tell);
  tell();
}
