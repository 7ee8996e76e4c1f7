import type { DialectName, Migration } from './words.ts'

/** Holds for a record whose id does not begin with its creation time. */
const isOutOfOrder: Readonly<Record<DialectName, string>> = {
  sqlite: "substr(id, 1, 8) || substr(id, 10, 4) <> printf('%012x', created_at)",
  postgres: "substr(id::text, 1, 8) || substr(id::text, 10, 4) <> lpad(to_hex(created_at), 12, '0')",
}

/**
 * Records that ids do not sort by creation: those that stand for users, and those whose ids were given. Where an object
 * has none, an index that ends in the record's id is in the order of creation.
 */
export const migration: Migration = {
  name: '0024-record-order',
  up: ({ dialect }) => [
    `create index record_out_of_order on record (workspace_id, object) where ${isOutOfOrder[dialect]}`,
  ],
  down: () => ['drop index record_out_of_order'],
}
