import { ModelId } from '../../contracts/management/models.ts';
import { BadRequest } from '../../contracts/problems.ts';

/** The parts of a model id: a repository of the hub, a revision, and in a GGUF repository a quantisation. */
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
      `'${id}' is not a model id of the hub: it must look like org/name[@revision][:quantisation]`,
      {
        param: 'model_id',
      },
    );
  }
  return { id, repository, revision, quantization };
}
