import type { DialectName, Migration } from './words.ts'

/** Holds for a record whose id does not begin with its creation time. */
const isUnordered: Readonly<Record<DialectName, string>> = {
  sqlite: "substr(id, 1, 8) || substr(id, 10, 4) <> printf('%012x', created_at)",
  postgres: "substr(id::text, 1, 8) || substr(id::text, 10, 4) <> lpad(to_hex(created_at), 12, '0')",
}

/**
 * How many records of each object have ids that do not sort by creation. Where an object has none, an index that ends
 * in the record's id is in the order of creation.
 */
export const migration: Migration = {
  name: '0024-record-order',
  up: ({ dialect }) => [
    `insert into record_count (workspace_id, object, total)
     select workspace_id, object || '#unordered', count(*) from record where ${isUnordered[dialect]}
     group by workspace_id, object`,
  ],
  down: () => [
    "delete from record_count where object like '%#unordered'",
    "delete from record_count_delta where object like '%#unordered'",
  ],
}
