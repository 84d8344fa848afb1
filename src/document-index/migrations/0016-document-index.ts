import { sql } from 'kysely';
import { countingKey, type Migration } from '../../platform/database/migration.ts';

export const documentIndex: Migration = {
  number: 16,
  name: 'document-index',
  async up(query, dialect) {
    await query.schema
      .createTable('bots')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('creator', 'text', (column) => column.notNull())
      .addColumn('user_story', 'text', (column) => column.notNull())
      .addColumn('hello_text', 'text', (column) => column.notNull())
      .addColumn('retrive_n', 'integer', (column) => column.notNull())
      .addColumn('support_n', 'integer', (column) => column.notNull())
      .addColumn('example_questions_json', 'text', (column) => column.notNull())
      .addColumn('collection', 'text', (column) => column.notNull())
      .addColumn('embeddings_model', 'text')
      .addColumn('dimensions', 'integer')
      .addColumn('notes_json', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute();
    await query.schema
      .createTable('bot_documents')
      .addColumn('id', countingKey(dialect) as never)
      .addColumn('bot', 'text', (column) => column.notNull().references('bots.id'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('url', 'text')
      .addColumn('source_json', 'text')
      .addColumn('source_id', 'text')
      .addColumn('source_version', 'text')
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('command', 'text')
      .addColumn('blob', 'text')
      .addColumn('type', 'text')
      .addColumn('title', 'text')
      .addColumn('bytes', 'bigint')
      .addColumn('sha256', 'text')
      .addColumn('pages', 'integer')
      .addColumn('chunks', 'integer')
      .addColumn('embedded', 'integer', (column) => column.notNull())
      .addColumn('languages_json', 'text', (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('indexed_at', 'bigint')
      .execute();
    await query.schema
      .createTable('bot_chunks')
      .addColumn('id', countingKey(dialect) as never)
      .addColumn('bot', 'text', (column) => column.notNull())
      .addColumn('document', 'bigint', (column) =>
        column.notNull().references('bot_documents.id').onDelete('cascade'),
      )
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('context', 'text', (column) => column.notNull())
      .addColumn('headings_json', 'text', (column) => column.notNull())
      .addColumn('markdown', 'text')
      .addColumn('page', 'integer')
      .addColumn('segments_json', 'text', (column) => column.notNull())
      .addColumn('language', 'text')
      .execute();
    await query.schema
      .createTable('bot_questions')
      .addColumn('id', countingKey(dialect) as never)
      .addColumn('bot', 'text', (column) => column.notNull().references('bots.id').onDelete('cascade'))
      .addColumn('question', 'text', (column) => column.notNull())
      .addColumn('answer', 'text')
      .addColumn('document', 'text')
      .addColumn('page', 'integer')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    for (const index of [
      sql`create unique index bot_documents_active on bot_documents (bot, name) where state = 'active'`,
      sql`create index bot_documents_bot on bot_documents (bot, name)`,
      sql`create unique index bot_chunks_position on bot_chunks (document, position)`,
      sql`create index bot_questions_bot on bot_questions (bot)`,
    ]) {
      await index.execute(query);
    }
  },
};
