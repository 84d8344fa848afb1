const request =
  /(?:ignore|disregard|forget|override)\s+(?:(?:all|any|of|the|your|my|these|previous|prior|earlier|above)\s+)*(?:instructions?|prompts?|rules|guidelines)|(?:игнорируй|забудь|отбрось|не учитывай|не выполняй)(?:те)?\s+(?:(?:все|всё|свои|ваши|твои|предыдущие|прежние|эти|данные)\s+)*(?:инструкци|указани|правил)|<\|?(?:im_start|system)\|?>|(?:^|\n)\s*system prompt\s*:/iu;

/** Whether a text addresses a model instead of a reader. Such text answers no question and supports no claim. */
export const addressesModel = (text: string): boolean => request.test(text);
