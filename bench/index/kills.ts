/**
 * Gives commands to many bots while the index is killed again and again (kill -9), and checks that every command ends
 * once, with nothing lost and nothing left. `node bench/index/kills.ts [commands] [bots] [seed]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findLeftovers } from '../../test/testkit/document-index/find-leftovers.ts';
import { killStorm } from '../../test/testkit/document-index/kill-storm.ts';

const [commands = 1_000, bots = 50, seed = Date.now() % 1e6] = process.argv.slice(2).map(Number);

// In the checkout instead of a temporary folder, which may be in memory.
const folder = mkdtempSync(join(import.meta.dirname, '..', '..', '.bench-index-'));
const url = `sqlite:${join(folder, 'roundhouse.db')}`;
try {
  const start = performance.now();
  const { kills, accepted, outcomes, problems } = await killStorm({
    folder,
    url,
    bots,
    commands,
    seed,
    calm: 3_000,
  });
  const seconds = (performance.now() - start) / 1_000;
  const faults = [...problems, ...(await findLeftovers(folder, url))];
  console.log(
    `${accepted} commands on ${bots} bots with ${kills} kills in ${seconds.toFixed(0)} s (seed ${seed})`,
  );
  console.log(`ended: ${JSON.stringify(outcomes)}`);
  for (const fault of faults) console.log(`fault: ${fault}`);
  const isMet = faults.length === 0 && accepted === commands;
  console.log(`every command ends once, nothing lost, nothing left: ${isMet ? 'met' : 'missed'}`);
  if (!isMet) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
