// `npm run demo:sources`: stand-ins for a wiki, a portal, two drives and a web site, with sample content to try the
// sources of bots with.
import { parseArgs } from 'node:util';
import { startDriveAServer } from '../test/testkit/sources/drive-a-server.ts';
import { startDriveBServer } from '../test/testkit/sources/drive-b-server.ts';
import { startPortalServer } from '../test/testkit/sources/portal-server.ts';
import * as sample from '../test/testkit/sources/sample-content.ts';
import { startWebServer } from '../test/testkit/sources/web-server.ts';
import { startWikiServer } from '../test/testkit/sources/wiki-server.ts';

const usage = `npm run demo:sources [-- --port 8101]

Starts servers that stand in for a wiki, a portal, two drives and a web site, on this port and the four after it, and
prints how to try them.`;
const options = { port: { type: 'string', default: '8101' }, help: { type: 'boolean', short: 'h' } } as const;
const { values } = readArguments();
if (values.help) {
  console.log(usage);
  process.exit();
}
const first = Number(values.port);
const share = 'https://disk.yandex.ru/d/SampleShare1';

const wiki = await startWikiServer({
  spaces: { OPS: { name: 'Operations', pages: sample.samplePages } },
  port: first,
});
// The sample export knows Latin letters only; the platform renders the other pages itself.
wiki.faults.brokenExports = sample.samplePages
  .filter(({ title }) => /[а-я]/i.test(title))
  .map(({ id }) => id);
const portal = await startPortalServer({ places: sample.samplePlaces, password: 'secret', port: first + 1 });
const driveA = await startDriveAServer(sample.sampleDriveA, { port: first + 2 });
const driveB = await startDriveBServer({ [share]: sample.sampleShare }, { port: first + 3 });
const site = await startWebServer(
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(sample.samplePage),
  { port: first + 4 },
);

for (const stop of ['SIGINT', 'SIGTERM'] as const) {
  process.once(stop, async () => {
    await Promise.all([wiki, portal, driveA, driveB, site].map((server) => server.close()));
  });
}

const descriptors = [
  { type: 'wiki', url: `${wiki.base}/display/OPS/Boiler+house`, api_key: 'wiki-token' },
  { type: 'portal', url: `${portal.url}/community/operations`, login: 'ivanov', password: 'secret' },
  { type: 'drive_a', url: 'https://drive.google.com/drive/folders/folder-documents' },
  { type: 'drive_b', url: share },
  { type: 'direct_link', url: `${site.url}/boiler` },
];

console.log(`Start the platform with these variables:

export ROUNDHOUSE_OUTGOING_ALLOW=${[wiki, portal, site].map(({ entry }) => entry).join(',')}
export ROUNDHOUSE_SOURCES_DRIVE_A_ENDPOINT=${driveA.url}
export ROUNDHOUSE_SOURCES_DRIVE_B_ENDPOINT=${driveB.url}
export DRIVE_A_CREDENTIALS_PATH=${driveA.credentialsPath}
export DRIVE_B_TOKEN=y0_token

Then look at what these sources have, and make a bot of one or more of them:

${descriptors.map((descriptor) => `./roundhouse bots preview '${JSON.stringify(descriptor)}'`).join('\n')}

./roundhouse create-bot demo --url '${JSON.stringify(descriptors[0])}'
./roundhouse bots ask demo "Какое давление у насоса?"

Ctrl+C stops the servers.`);

function readArguments() {
  try {
    return parseArgs({ options });
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(1);
  }
}
