import { ModelId } from '../../contracts/management/models.ts';
import { BadRequest } from '../../contracts/problems.ts';

/** What a model id says: a repository of the hub, at a revision, and of a GGUF repository one quantisation. */
export interface ModelReference {
  id: string;
  repository: string;
  revision: string;
  quantization: string | null;
}

export function parseModelId(id: string): ModelReference {
  const parsed = ModelId.safeParse(id);
  const [, repository = '', revision = 'main', quantization = null] =
    /^([^@:]+)(?:@([^:]+))?(?::(.+))?$/.exec(id) ?? [];
  if (!parsed.success || !/^[\w.-]+(\/[\w.-]+)?$/.test(repository)) {
    throw new BadRequest(
      `'${id}' is no model id of the hub: it must look like org/name[@revision][:quantisation]`,
      {
        param: 'model_id',
      },
    );
  }
  return { id, repository, revision, quantization };
}
