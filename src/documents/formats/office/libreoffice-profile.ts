import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A document may contain macros, and links to pictures and texts in files and on the network. LibreOffice gets a profile
 * that runs no macros, follows no links, and knows the network only by a proxy that does not exist.
 */
const settings: [path: string, name: string, value: string][] = [
  ['/org.openoffice.Office.Common/Security/Scripting', 'DisableMacrosExecution', 'true'],
  ['/org.openoffice.Office.Common/Security/Scripting', 'MacroSecurityLevel', '3'],
  ['/org.openoffice.Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'true'],
  ['/org.openoffice.Office.Common/Security/Scripting', 'DisableActiveContent', 'true'],
  ['/org.openoffice.Inet/Settings', 'ooInetProxyType', '2'],
  // By default, this machine's own addresses bypass the proxy.
  ['/org.openoffice.Inet/Settings', 'ooInetNoProxy', ''],
  ...['HTTP', 'HTTPS', 'FTP'].flatMap((protocol): [string, string, string][] => [
    ['/org.openoffice.Inet/Settings', `ooInet${protocol}ProxyName`, '127.0.0.1'],
    ['/org.openoffice.Inet/Settings', `ooInet${protocol}ProxyPort`, '9'],
  ]),
];

/** Writes the profile of one conversion; conversions at the same time must not share one. */
export async function writeProfile(folder: string): Promise<void> {
  const items = settings.map(
    ([path, name, value]) =>
      `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  );
  const names =
    'xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
  const user = join(folder, 'user');
  await mkdir(user, { recursive: true });
  await writeFile(
    join(user, 'registrymodifications.xcu'),
    `<?xml version="1.0" encoding="UTF-8"?>\n<oor:items ${names}>\n${items.join('\n')}\n</oor:items>\n`,
  );
}
