import type { Migration } from '../../platform/database/migration.ts';

export const botFeedback: Migration = {
  number: 17,
  name: 'bot-feedback',
  async up(query) {
    await query.schema
      .createTable('bot_answers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('bot', 'text', (column) => column.notNull())
      .addColumn('question', 'text', (column) => column.notNull())
      .addColumn('earlier_json', 'text', (column) => column.notNull())
      .addColumn('answer', 'text', (column) => column.notNull())
      .addColumn('documents_json', 'text', (column) => column.notNull())
      .addColumn('passages_json', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('rating', 'double precision')
      .addColumn('comment', 'text')
      .addColumn('rated_at', 'bigint')
      .execute();
    await query.schema
      .createIndex('bot_answers_by_bot')
      .on('bot_answers')
      .columns(['bot', 'rated_at', 'created_at'])
      .execute();
    await query.schema
      .createTable('bot_answer_documents')
      .addColumn('answer', 'text', (column) =>
        column.notNull().references('bot_answers.id').onDelete('cascade'),
      )
      .addColumn('document', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('bot_answer_documents_key', ['answer', 'document'])
      .execute();
    await query.schema
      .createIndex('bot_answer_documents_by_document')
      .on('bot_answer_documents')
      .column('document')
      .execute();
  },
};
