/** Where a bot's points are made anew while the old ones answer. Ids of bots have no dots. */
export const nextCollection = (bot: string): string => `${bot}.next`;
