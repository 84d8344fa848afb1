import type { PodEngine } from '../../contracts/dispatcher/pod-plan.ts';
import type { PodTask } from '../../contracts/dispatcher/pods.ts';
import type { ModelFormat } from './model-format.ts';

interface Served {
  engines: PodEngine[];
  /** Why no engine can serve it; null where one can. */
  reason: string | null;
}

const names: Record<ModelFormat, string> = {
  gguf: 'GGUF',
  safetensors: 'safetensors',
  onnx: 'ONNX',
  pickle: 'pickle',
  peft: 'an adapter',
};

/** The engines that can serve a format for a task, whether or not they run here. */
function ableTo(format: ModelFormat, task: PodTask | null): PodEngine[] {
  const encodes = task === 'embeddings' || task === 'rerank';
  if (format === 'gguf') return encodes ? ['llama-server'] : ['llamacpp', 'llama-server'];
  if (format === 'onnx') return encodes ? ['onnx'] : [];
  if (format === 'peft') return ['llamacpp', 'llama-server', 'vllm'];
  return ['vllm'];
}

/** The engines that run here and can serve the model. */
export function enginesFor(format: ModelFormat, task: PodTask | null, here: readonly PodEngine[]): Served {
  const able = task === 'tts' || task === 'asr' ? [] : ableTo(format, task);
  const engines = able.filter((engine) => here.includes(engine));
  if (engines.length > 0) return { engines, reason: null };
  const what = `${names[format]}${task === null ? '' : ` for ${task}`}`;
  if (able.length === 0) return { engines, reason: `no engine serves ${what}` };
  const runs = here.length > 0 ? `available here: ${here.join(', ')}` : 'no engine is available here';
  const instead = format === 'safetensors' && task === 'llm' ? '; a GGUF version of it could be served' : '';
  return { engines, reason: `${what} needs ${able.join(' or ')}; ${runs}${instead}` };
}
