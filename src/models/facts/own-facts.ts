import type { ModelFacts } from '../../contracts/management/models.ts';
import type { Shape } from './memory-estimate.ts';

/** What a model's own files say of it. */
export type OwnFacts = Required<
  Pick<
    ModelFacts,
    'task' | 'architecture' | 'parameters' | 'context_length' | 'quantization' | 'chat_template' | 'license'
  >
> & { shape: Shape | null };
