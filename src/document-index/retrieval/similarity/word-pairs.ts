/** Words and their translations, by which a model's similarities of words are measured. Other languages use them too. */
export const wordPairs: readonly (readonly [russian: string, english: string])[] = [
  ['мост', 'bridge'],
  ['сотрудник', 'employee'],
  ['телескоп', 'telescope'],
  ['проверить', 'check'],
  ['закрыли', 'closed'],
  ['апельсин', 'orange'],
  ['месяц', 'month'],
  ['зима', 'winter'],
  ['быстрый', 'fast'],
  ['договор', 'contract'],
  ['измерение', 'measurement'],
  ['построил', 'built'],
  ['красный', 'red'],
  ['правительство', 'government'],
  ['болезнь', 'disease'],
  ['глубина', 'depth'],
];
