import { mkdirSync, symlinkSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { dataFolderWith } from '../testkit/models/catalog-model.ts';
import { type Requirement, requirement } from '../testkit/requirement.ts';

/** An address of this machine in the network, in place of the `10.0.0.1` of the pages. */
export function networkAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}

/** The starter models, downloaded once; `place` puts them into a data folder of a machine. */
export async function starterModels(): Promise<
  Requirement & { place(machine: string, dataFolder?: string): void }
> {
  let folder = '';
  const found = await requirement('starter models', async () => {
    folder = await dataFolderWith('smollm2-135m-instruct', 'all-minilm-l6-v2');
  });
  return {
    ...found,
    place(machine, dataFolder = 'data') {
      mkdirSync(join(machine, dataFolder), { recursive: true });
      symlinkSync(join(folder, 'models'), join(machine, dataFolder, 'models'));
    },
  };
}
