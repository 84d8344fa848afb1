/** Frequent words of English and Russian that say nothing about the topic. With `е` in place of `ё`. */
const english = `a about above after again against all also am an and any are as at be because been before being below
between both but by can could did do does doing done down during each few for from further get had has have having he
her here hers herself him himself his how i if in into is it its itself just let many me more most much must my myself no
nor not of off on once one only or other our ours ourselves out over own per quite rather same shall she should so some
such than that the their theirs them themselves then there these they this those through to too under until up upon very
was we were what when where which while who whom whose why will with would you your yours yourself yourselves`;

const russian = `а без более больше будет будто будут бы был была были было быть в вам вас ваш вдруг ведь во вот все всего
всегда всех всю вся всё вы где да даже два для до другой его ее ей ему если есть еще ж же за зачем здесь и из или им
иногда их к как какая какие каким какими каких какого какой какова каков каково каковы какое каком какую когда кого ком
кому конечно которая которого которое которой котором которому которую которые который которым которыми которых кто куда
ли либо лишь лучше между меня мне много может можно мой моя мы на над надо наконец нас наш не него нее ней нельзя нет
ни нибудь никогда ним них ничего но ну о об однако он она они оно опять от откуда перед по под после потом потому почему
почти при про раз разве с сам самый свое своего своей своем своему свои своим своими своих свой свою своя себе себя
сейчас сколько со совсем так также такая такие таким таких такого такое такой такую там те тебя тем теперь то тобой того
тоже той только том тому тот тут ты у уж уже хоть хотя чего чей чем чему через что чтобы чтоб чуть чье чьи чья эта эти
этим этих это этого этой этом этот эту является являются являлся являлась являлось являлись`;

export const stopWords: ReadonlySet<string> = new Set(
  `${english} ${russian}`.replaceAll('ё', 'е').split(/\s+/),
);
