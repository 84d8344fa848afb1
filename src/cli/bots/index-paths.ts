const segment = encodeURIComponent;

/** Paths of the index API and of the chatbot. */
export const paths = {
  bots: '/indexapi/bots',
  preview: '/indexapi/preview',
  bot: (bot: string) => `/indexapi/bot/${segment(bot)}`,
  urls: (bot: string) => `/indexapi/bot/${segment(bot)}/urls`,
  sync: (bot: string) => `/indexapi/bot/${segment(bot)}/sync`,
  sources: (bot: string) => `/indexapi/bot/${segment(bot)}/sources`,
  source: (bot: string, id: number) => `/indexapi/bot/${segment(bot)}/sources/${id}`,
  add: (bot: string) => `/indexapi/bot/${segment(bot)}/document`,
  addByUrl: (bot: string) => `/indexapi/bot/${segment(bot)}/document_by_url`,
  document: (bot: string, name: string) => `/indexapi/bot/${segment(bot)}/document/${segment(name)}`,
  documents: (bot: string) => `/indexapi/bot/${segment(bot)}/documents`,
  commands: (bot: string) => `/indexapi/bot/${segment(bot)}/commands`,
  command: (bot: string, id: string) => `/indexapi/bot/${segment(bot)}/command/${segment(id)}`,
  search: (bot: string) => `/indexapi/bot/${segment(bot)}/search`,
  question: (bot: string) => `/v.1.0/${segment(bot)}`,
};
