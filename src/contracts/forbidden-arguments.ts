/** Arguments that would break a pod, because it sets them itself, or that have an option of their own. */
const ownOptions: ReadonlyMap<string, string> = new Map([
  ['--max-model-len', 'max_model_len'],
  ['--ctx-size', 'max_model_len'],
  ['-c', 'max_model_len'],
  ['--gpu-memory-utilization', 'gpu_memory_utilization'],
  ['--tensor-parallel-size', 'tensor_parallel'],
  ['-tp', 'tensor_parallel'],
  ['--dtype', 'dtype'],
  ['--quantization', 'dtype'],
  ['-q', 'dtype'],
  ['--lora-modules', 'adapter_ids'],
  ['--enable-lora', 'adapter_ids'],
  ['--lora', 'adapter_ids'],
  ['--lora-scaled', 'adapter_ids'],
]);

const address =
  '--host --port --api-key --root-path --ssl-keyfile --ssl-certfile --ssl-ca-certs --ssl-key-file';
const information = '--help -h --version';
const refused = {
  vllm: new Set(
    `${address} ${information} --uds --ssl-cert-reqs --enable-ssl-refresh --served-model-name --model --config
     --middleware --headless --hf-token --runner --api-server-count -asc --grpc --max-lora-rank --max-cpu-loras`
      .split(/\s+/)
      .concat(...ownOptions.keys()),
  ),
  'llama-server': new Set(
    `${address} ${information} --api-key-file --ssl-cert-file --api-prefix --path -m --model -mu --model-url -hf -hfr
     --hf-repo -hff --hf-file -hft --hf-token -hfd --hf-repo-draft -dr --docker-repo -a --alias --models-dir
     --models-preset --embedding --embeddings --rerank --reranking --no-metrics --list-devices -np --parallel
     --completion-bash --usage`
      .split(/\s+/)
      .concat(...ownOptions.keys()),
  ),
};

/** Why an extra argument is refused; undefined if it is not. */
export function forbiddenArgument(engine: keyof typeof refused, argument: string): string | undefined {
  if (!argument.startsWith('-')) return undefined;
  const [name = ''] = argument.split('=');
  // vLLM takes underscores for hyphens, and any unambiguous beginning of a long name.
  const spelled = engine === 'vllm' ? name.replaceAll('_', '-') : name;
  const isBeginning = engine === 'vllm' && spelled.startsWith('--') && spelled.length > 2;
  const match = refused[engine].has(spelled)
    ? spelled
    : isBeginning
      ? [...refused[engine]].find((flag) => flag.startsWith(spelled))
      : undefined;
  if (match === undefined) return undefined;
  const option = ownOptions.get(match);
  return option ? `${name} is set by ${option}` : `${name} is not allowed: it would break the pod`;
}
