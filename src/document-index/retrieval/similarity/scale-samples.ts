interface Sample {
  question: string;
  answer: string;
}

/** The same questions in both languages, so that questions in one and texts in the other can be compared too. */
export const samples: ReadonlyMap<string, readonly Sample[]> = new Map([
  [
    'eng',
    [
      {
        question: 'When was the bridge over the river opened to traffic?',
        answer:
          'The bridge was opened in May 1931 after four years of construction and has carried traffic since.',
      },
      {
        question: 'How many employees does the bakery have?',
        answer: 'The family bakery employs forty people, most of whom work at night.',
      },
      {
        question: 'Who wrote the first manual for the telescope?',
        answer:
          'The first manual for the telescope was written by the astronomer who had designed its mirror.',
      },
      {
        question: 'What should be checked before the pump is started?',
        answer: 'Before starting the pump, make sure that the valves are open and the tank is full of water.',
      },
      {
        question: 'Why did the museum close its eastern wing?',
        answer:
          'The eastern wing of the museum was closed because its roof leaked and the paintings were in danger.',
      },
      {
        question: 'Which vitamin do oranges contain most of?',
        answer: 'Oranges are known above all for vitamin C; one fruit covers the need of a day.',
      },
      {
        question: 'How long may an employee work from home each month?',
        answer: 'Staff can work remotely for up to eight days a month with the approval of their manager.',
      },
      {
        question: 'Where do the storks of this valley spend the winter?',
        answer: 'In autumn the storks leave the valley for Africa and return at the end of March.',
      },
    ],
  ],
  [
    'rus',
    [
      {
        question: 'Когда открыли движение по мосту через реку?',
        answer:
          'Мост открыли в мае 1931 года после четырёх лет строительства, и с тех пор по нему идёт движение.',
      },
      {
        question: 'Сколько сотрудников работает в пекарне?',
        answer: 'В семейной пекарне трудятся сорок человек, большинство из них в ночную смену.',
      },
      {
        question: 'Кто написал первое руководство к телескопу?',
        answer: 'Первое руководство к телескопу составил астроном, который сконструировал его зеркало.',
      },
      {
        question: 'Что нужно проверить перед запуском насоса?',
        answer: 'Перед пуском насоса убедитесь, что вентили открыты, а бак заполнен водой.',
      },
      {
        question: 'Почему музей закрыл восточное крыло?',
        answer: 'Восточное крыло музея закрыли, потому что крыша протекала и картинам грозила опасность.',
      },
      {
        question: 'Какого витамина больше всего в апельсинах?',
        answer: 'Апельсины известны прежде всего витамином C: один плод покрывает дневную потребность.',
      },
      {
        question: 'Сколько дней в месяц сотрудник может работать из дома?',
        answer: 'Работать удалённо можно до восьми дней в месяц с согласия руководителя.',
      },
      {
        question: 'Где зимуют аисты из этой долины?',
        answer: 'Осенью аисты улетают из долины в Африку и возвращаются в конце марта.',
      },
    ],
  ],
]);
