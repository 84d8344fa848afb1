import type { Documents } from '../documents/read-document.ts';
import type { ModelSupply } from '../models/layout/model-supply.ts';
import type { InferenceFront } from '../platform/inference/inference-front.ts';
import type { InferenceTransport } from '../platform/inference/sending/transport.ts';
import type { Foundation, Part } from '../platform/parts/part.ts';
import { openSpoolFolder } from '../platform/uploads/spool-folder.ts';
import { serveAliases } from './aliases/serve-aliases.ts';
import type { ServedSlots } from './aliases/service-aliases.ts';
import { watchModels } from './aliases/watch-models.ts';
import { hostedService } from './hosted-service.ts';
import type { HostedSettings } from './settings.ts';

interface HostedNeeds {
  inference: InferenceFront;
  /** What the slots serve; undefined if the management API runs in another process. */
  slots: ServedSlots | undefined;
  /** Undefined if the dispatcher runs in another process. */
  transport: InferenceTransport | undefined;
  documents: Documents;
  /** The models that read pages as pictures. */
  layoutModels: ModelSupply;
}

/** The hosted API: accounts, and inference and document layout for holders of a key. */
export async function openHosted(
  { config, database, clock, ring, metering }: Foundation<HostedSettings>,
  { inference, slots, transport, documents, layoutModels }: HostedNeeds,
): Promise<Part> {
  const registration = config.hosted.registration ?? (config.auth.open ? 'open' : 'approval');
  const settings = { ...config.hosted, registration };
  const watched = slots ? undefined : watchModels(inference);
  const served = serveAliases(inference, slots ?? (watched as ServedSlots), settings.aliases);
  const layout = {
    documents,
    models: layoutModels,
    metering,
    uploads: await openSpoolFolder(config.data_dir),
    settings: settings.layout,
  };
  return {
    services: [hostedService({ database, clock, ring, settings, inference, served, transport, layout })],
    async close() {
      watched?.close();
    },
  };
}
