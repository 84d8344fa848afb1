/**
 * The document index in a process of its own, for tests that kill it. Arguments: folder, database address, and the
 * server that sources may be on. It says where it listens, and a key.
 */
import { openTestSources } from '../sources/open-test-sources.ts';
import { openIndexPlatform } from './index-platform.ts';

const [folder = '', url = '', allowed] = process.argv.slice(2);
const index = await openIndexPlatform({
  folder,
  url,
  pace: () => 2,
  index: { parallel_commands: 4 },
  ...(allowed !== undefined && { sources: openTestSources({ allow: [allowed] }).sources }),
});
const address = await index.app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`listening ${address} ${index.key}\n`);
process.on('SIGTERM', async () => {
  await index.close(true);
  process.exit(0);
});
