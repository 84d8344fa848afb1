import type { InferenceFront } from '../platform/inference/inference-front.ts';
import type { Foundation, Part } from '../platform/parts/part.ts';
import { serveAliases } from './aliases/serve-aliases.ts';
import type { ServedSlots } from './aliases/service-aliases.ts';
import { watchModels } from './aliases/watch-models.ts';
import { hostedService } from './hosted-service.ts';
import type { HostedSettings } from './settings.ts';

interface HostedNeeds {
  inference: InferenceFront;
  /** What the slots serve; undefined if the management API runs in another process. */
  slots: ServedSlots | undefined;
}

/** The hosted API: accounts, and inference and document layout for holders of a key. */
export function openHosted(
  { config, database, clock, ring }: Foundation<HostedSettings>,
  { inference, slots }: HostedNeeds,
): Part {
  const registration = config.hosted.registration ?? (config.auth.open ? 'open' : 'approval');
  const settings = { ...config.hosted, registration };
  const watched = slots ? undefined : watchModels(inference);
  const served = serveAliases(inference, slots ?? (watched as ServedSlots), settings.aliases);
  return {
    services: [hostedService({ database, clock, ring, settings, inference, served })],
    async close() {
      watched?.close();
    },
  };
}
