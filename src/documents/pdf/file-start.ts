/** How files of our own writer begin, by which our reader knows them. The second line says that there are bytes beyond ASCII. */
export const fileStart = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3 Roundhouse\n', 'latin1');
