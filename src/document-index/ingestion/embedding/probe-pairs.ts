type Pairs = readonly (readonly [question: string, passage: string])[];

/**
 * Questions and passages that answer them, with few words in common, so that only a model which knows the language
 * finds the right passage.
 */
export const probePairs: ReadonlyMap<string, Pairs> = new Map([
  [
    'eng',
    [
      ['When do bears sleep?', 'The animal goes into its den in late autumn and wakes up in spring.'],
      ['How do I make bread rise?', 'Yeast produces gas bubbles, which lift the dough before baking.'],
      ['Why is the sea salty?', 'Rivers carry minerals into the ocean, and only pure water evaporates.'],
      ['Who pays for a broken window?', 'The tenant bears the cost of damage to the glass in the flat.'],
      ['How many days off do employees get?', 'Staff are entitled to four weeks of annual leave.'],
      ['What helps against a headache?', 'Take one painkiller tablet with a glass of water and rest.'],
      ['How fast does light travel?', 'It covers three hundred thousand kilometres per second in a vacuum.'],
      ['Where can I park my car?', 'Visitors leave their vehicles in the garage below the building.'],
      ['How is a fire put out?', 'Use the extinguisher on the wall and then call the brigade.'],
      ['What do cows eat?', 'Cattle graze on grass in summer and are fed hay in winter.'],
      ['When was the bridge built?', 'Construction of the river crossing was completed in 1932.'],
      ['How do I change my password?', 'Open the account settings and enter new login credentials.'],
      ['Is smoking allowed here?', 'The use of tobacco is prohibited on the whole premises.'],
      ['What is the capital city of France?', 'Paris is the seat of the French government.'],
      ['How do I return goods?', 'Send the purchase back within two weeks for a full refund.'],
      ['Why do leaves turn yellow?', 'In autumn chlorophyll breaks down and other pigments show.'],
    ],
  ],
  [
    'rus',
    [
      ['Когда спят медведи?', 'Зверь ложится в берлогу поздней осенью и просыпается весной.'],
      ['Как сделать, чтобы тесто поднялось?', 'Дрожжи выделяют газ, и опара увеличивается в объёме.'],
      ['Почему море солёное?', 'Реки приносят в океан минералы, а испаряется только чистая вода.'],
      ['Кто платит за разбитое окно?', 'Расходы на повреждённое стекло в квартире несёт арендатор.'],
      [
        'Сколько выходных положено работнику?',
        'Сотрудники получают двадцать восемь дней ежегодного отпуска.',
      ],
      ['Что помогает от боли в голове?', 'Примите одну таблетку анальгетика, запейте водой и отдохните.'],
      ['Как быстро движется свет?', 'За секунду луч проходит в вакууме триста тысяч километров.'],
      ['Где можно поставить машину?', 'Посетители оставляют автомобили на подземной стоянке.'],
      ['Чем тушить пожар?', 'Возьмите огнетушитель со стены и вызовите спасателей.'],
      ['Что едят коровы?', 'Летом скот пасётся на лугу, а зимой получает сено.'],
      ['Когда возвели мост?', 'Строительство переправы через реку завершилось в 1932 году.'],
      ['Как сменить пароль?', 'Откройте настройки учётной записи и введите новые данные для входа.'],
      ['Разрешено ли здесь курить?', 'Употребление табака запрещено на всей территории.'],
      ['Какой город столица Франции?', 'Париж является местом пребывания французского правительства.'],
      ['Как вернуть товар?', 'Отправьте покупку назад в течение двух недель, и деньги возместят.'],
      ['Почему желтеют листья?', 'Осенью хлорофилл разрушается, и проявляются другие пигменты.'],
    ],
  ],
]);
