import { request } from 'undici';
import { BadRequest, Forbidden, NotFound, Unavailable, UpstreamFailed } from '../../contracts/problems.ts';
import type { Caller } from '../../platform/http/access.ts';
import type { Aliases } from '../../platform/inference/aliases.ts';
import { mayUseModel } from '../../platform/metering/allowed-models.ts';
import type { PodRegistry } from '../pods/registry.ts';

interface InfoDependencies {
  registry: PodRegistry;
  aliases: Aliases;
}

const timeout = 10_000;

/** What a live pod of the model says about its tokenizer. */
export async function tokenizerInfo(
  { registry, aliases }: InfoDependencies,
  caller: Caller,
  named: string | undefined,
): Promise<unknown> {
  const model = named ?? registry.soleModel('any');
  if (model === undefined) {
    throw new BadRequest(
      'the request names no model, and there is not exactly one to choose from: set ?model=',
      { param: 'model' },
    );
  }
  if (!mayUseModel(caller, model)) throw new Forbidden(`this key may not use the model '${model}'`);
  const route = registry.find(aliases.get(model) ?? model, 'any');
  if (typeof route !== 'object')
    throw new NotFound('model', model, { code: 'model_not_found', param: 'model' });
  const pod = route.pods.find((candidate) => registry.isLive(candidate));
  if (!pod) throw new Unavailable(`no pod that serves '${model}' is up at present`, { retryAfter: 5 });
  const answer = await request(`${pod.address}/tokenizer_info`, {
    headers: pod.info.pod_secret ? { authorization: `Bearer ${pod.info.pod_secret}` } : {},
    signal: AbortSignal.timeout(timeout),
  }).catch((cause: Error) => {
    throw new UpstreamFailed('the pod does not answer', { cause });
  });
  const text = await answer.body.text();
  if (answer.statusCode === 200) return JSON.parse(text) as unknown;
  throw new NotFound('tokenizer', model, {
    words: `the engine of '${model}' does not describe its tokenizer`,
  });
}
