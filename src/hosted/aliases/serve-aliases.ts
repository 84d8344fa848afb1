import type { InferenceFront, ServedSurface } from '../../platform/inference/inference-front.ts';
import { type ServedSlots, serviceAliases } from './service-aliases.ts';

export interface HostedSurface {
  surface: ServedSurface;
  /** Served models by the names of services, as they are now. */
  aliases(): ReadonlyMap<string, string>;
}

/** Serves inference below `/hosted`, and keeps the names of services in step with what the slots serve. */
export function serveAliases(
  front: InferenceFront,
  slots: ServedSlots,
  configured: Readonly<Record<string, string>>,
): HostedSurface {
  let aliases = serviceAliases(slots, configured);
  const surface = front.addSurface({
    prefix: '/hosted',
    shape: 'openai',
    access: { scope: 'inference', openable: false },
    aliases,
    bots: true,
  });
  slots.onChange(() => {
    aliases = serviceAliases(slots, configured);
    surface.rename({ aliases });
  });
  return { surface, aliases: () => aliases };
}
