// npm run bench:dispatcher -- [--quick] [--only throughput,streams,routing,soak] [--soak-minutes 10]
import { parseArgs } from 'node:util';
import { routing } from './routing.ts';
import { soak } from './soak.ts';
import { streams } from './streams.ts';
import { throughput } from './throughput.ts';
import { print, type Verdict } from './verdicts.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: 'throughput,streams,routing,soak' },
    'soak-minutes': { type: 'string', default: '10' },
  },
});
const minutes = values.quick ? 1 : Number(values['soak-minutes']);
const parts: Record<string, () => Promise<Verdict[]>> = {
  throughput: () => throughput(values.quick ? 3 : 5, values.quick ? 2 : 5),
  streams: () => streams(values.quick ? 5 : 10, values.quick ? 3 : 5),
  routing: () => routing(),
  soak: () => soak(minutes),
};

const verdicts: Verdict[] = [];
for (const name of values.only.split(',')) {
  const part = parts[name];
  if (!part) throw new Error(`unknown part "${name}": choose from ${Object.keys(parts).join(', ')}`);
  verdicts.push(...(await part()));
}
console.log('');
print(verdicts);
process.exit(verdicts.some(({ met }) => met === false) ? 1 : 0);
