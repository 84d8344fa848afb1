import { ModelStore } from '../../../src/models/catalog/model-store.ts';
import { dataFolderWith } from './catalog-model.ts';

const id = 'all-minilm-l6-v2';

/** The folder of all-MiniLM-L6-v2, quantised to 8 bits: a real embedding model of 23 MB, downloaded once. */
export async function miniLmFolder(): Promise<string> {
  return new ModelStore(await dataFolderWith(id)).folderOf(id);
}
