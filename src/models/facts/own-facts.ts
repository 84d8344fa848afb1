import type { ModelFacts } from '../../contracts/management/models.ts';
import type { Shape } from './memory-estimate.ts';

/** The facts that a model's own files contain. */
export type OwnFacts = Required<
  Pick<
    ModelFacts,
    'task' | 'architecture' | 'parameters' | 'context_length' | 'quantization' | 'chat_template' | 'license'
  >
> & { shape: Shape | null };
