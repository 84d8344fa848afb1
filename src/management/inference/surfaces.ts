import { fixedSlots, isFixedSlot, type Slot } from '../../contracts/management/deployments.ts';
import type { InferenceSurface } from '../../contracts/surfaces.ts';
import type { InferenceFront, ServedSurface } from '../../platform/inference/inference-front.ts';
import type { SlotDirectory } from '../deployments/records/slot-directory.ts';

/** The surfaces that serve deployed models. */
export interface DeploymentSurfaces {
  /** `/api`: the model of every slot, by name. */
  all: ServedSurface;
  /** `/inference`: the model of the chat slot. */
  chat: ServedSurface;
  /** `/api/<slot>`: the model of that slot alone. Named slots come and go with their deployments. */
  slots: ReadonlyMap<Slot, ServedSurface>;
}

const settings = {
  access: { scope: 'inference', openable: true },
  aliases: new Map<string, string>(),
} as const;

/** Adds the surfaces to the front and keeps them and their model names in sync with the slots. */
export function serveDeployments(front: InferenceFront, directory: SlotDirectory): DeploymentSurfaces {
  const add = (prefix: string, shape: InferenceSurface['shape'], only?: readonly string[]) =>
    front.addSurface({ ...settings, prefix, shape, only, bots: !prefix.startsWith('/api/') });
  const addSlot = (slot: Slot) => add(`/api/${slot}`, 'management-inference', []);
  const all = add('/api', 'management-inference');
  const chat = add('/inference', 'openai', []);
  const slots = new Map<Slot, ServedSurface>(fixedSlots.map((slot) => [slot, addSlot(slot)]));
  const update = () => {
    const present = directory.slots();
    for (const slot of present) if (!slots.has(slot)) slots.set(slot, addSlot(slot));
    for (const [slot, surface] of slots) {
      if (isFixedSlot(slot) || present.includes(slot)) continue;
      surface.remove();
      slots.delete(slot);
    }
    all.rename({ aliases: new Map(present.flatMap((slot) => [...directory.successors(slot)])) });
    const namesOf = (slot: Slot) => ({ aliases: directory.successors(slot), only: directory.names(slot) });
    chat.rename(namesOf('chat'));
    for (const [slot, surface] of slots) surface.rename(namesOf(slot));
  };
  directory.onChange(update);
  update();
  return { all, chat, slots };
}
