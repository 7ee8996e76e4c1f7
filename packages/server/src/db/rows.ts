import type { Knex } from 'knex'
import { kindOf } from './column-kinds.ts'
import { tables, type ColumnOf, type TableName } from './columns.ts'
import type { LockPurpose } from './dialect.ts'
import type { Sql } from './sql.ts'
import { param, statement } from './statement.ts'
import type { QueryOptions, ReadTx, Tx } from './tx.ts'

type Values = Readonly<Record<string, unknown>>

/** A row with what it is found by; the workspace is part of most keys, and many rows leave it out. */
type KeyedRow<Row, Key> = Row & Key & { readonly workspace_id: string }

type Columns<Row> = readonly (keyof Row & string)[]

/** Returns the columns of a table, but for some. */
export const columnsOf = <T extends TableName, Without extends ColumnOf<T> = never>(
  table: T,
  ...without: readonly Without[]
): readonly Exclude<ColumnOf<T>, Without>[] => {
  const omitted: ReadonlySet<string> = new Set(without)
  return Object.keys(tables[table]).filter((name): name is Exclude<ColumnOf<T>, Without> => !omitted.has(name))
}

/** The values of some columns, in their order. */
type ValuesOf<Row, K extends readonly string[]> = { readonly [I in keyof K]: NonNullable<Row[K[I] & keyof Row]> }

const keyed = (keys: readonly string[], values: readonly unknown[]): Values =>
  Object.fromEntries(keys.map((key, at) => [key, values[at]]))

/**
 * Makes the functions that read and write the rows of a table by columns, most often by workspace and id. They take the
 * values of the columns in their order (`find('workspace_id', 'id')` makes `(tx, workspaceId, id) => …`), or where the
 * name ends in `ByKey` an object that has them. `Key` has columns that rows are found by and that are not read.
 */
export function rowsOf<Row extends Values, Key = unknown>(table: TableName, columns: Columns<Row>) {
  type Whole = KeyedRow<Row, Key>
  type Keys = Columns<Whole>

  const by =
    (keys: readonly string[]) =>
    ({ knex }: Sql): Knex.QueryBuilder =>
      knex(table)
        .select([...columns])
        .where(Object.fromEntries(keys.map((key) => [key, param(key)])))
  const found = (keys: readonly string[]) => statement<Values, Row>(by(keys))
  const locked = (keys: readonly string[], purpose: LockPurpose) =>
    statement<Values, Row>((sql) => sql.dialect.locked(by(keys)(sql), purpose))

  return {
    find<const K extends Keys>(...keys: K) {
      const one = found(keys)
      return (tx: ReadTx, ...values: ValuesOf<Whole, K>): Promise<Row | undefined> => tx.first(one, keyed(keys, values))
    },

    findByKey<const K extends Keys>(...keys: K) {
      const one = found(keys)
      return (tx: ReadTx, key: Pick<Whole, K[number]>): Promise<Row | undefined> => tx.first(one, key)
    },

    /** Makes a function that finds a row, and locks it until the transaction ends. */
    lock<const K extends Keys>(purpose: LockPurpose, ...keys: K) {
      const one = locked(keys, purpose)
      return (tx: Tx, ...values: ValuesOf<Whole, K>): Promise<Row | undefined> => tx.first(one, keyed(keys, values))
    },

    lockByKey<const K extends Keys>(purpose: LockPurpose, ...keys: K) {
      const one = locked(keys, purpose)
      return (tx: Tx, key: Pick<Whole, K[number]>): Promise<Row | undefined> => tx.first(one, key)
    },

    /** Makes a function that lists the rows with some values, ordered by columns. */
    list<const K extends Keys>(keys: K, ...order: Keys) {
      const some = statement<Values, Row>((sql) => by(keys)(sql).orderBy([...order]))
      return (tx: ReadTx, ...values: ValuesOf<Whole, K>): Promise<Row[]> => tx.all(some, keyed(keys, values))
    },

    /** Makes a function that lists the rows with some values, and one of several in a column, ordered by columns. */
    listAmong<const K extends Keys, const C extends keyof Whole & string>(keys: K, column: C, ...order: Keys) {
      const some = statement<Values, Row>((sql) =>
        by(keys)(sql)
          .where(sql.dialect.oneOf(column, param(column), kindOf(table, column) === 'uuid' ? 'uuid' : 'text'))
          .orderBy([...order]),
      )
      return (tx: ReadTx, ...given: [...ValuesOf<Whole, K>, readonly Whole[C][]]): Promise<Row[]> =>
        tx.all(some, keyed([...keys, column], given))
    },

    ...writersOf<Row, Whole>(table, columns),
  }
}

const writersOf = <Row extends Values, Whole extends Row>(table: TableName, columns: Columns<Row>) => ({
  insert: (tx: Tx, row: Row): Promise<void> => tx.changeRows({ change: 'insert', table, rows: [row] }),

  /** Inserts a row; false if one with its key, or with a value that is unique, exists. */
  insertNew: async (tx: Tx, row: Row): Promise<boolean> => {
    const change = { change: 'insertNew', table, rows: [row], returning: columns.slice(0, 1) } as const
    return (await tx.changeRows<Row[]>(change)).length > 0
  },

  /** Makes a function that updates a row: it takes the columns of the key, and those that change. */
  update<const K extends Columns<Whole>>(...keys: K) {
    return (tx: Tx, row: Pick<Whole, K[number]> & Partial<Row>): Promise<void> =>
      tx.changeRows({ change: 'update', table, keys, rows: [row] })
  },

  /** Makes a function that deletes the rows with some values. */
  remove<const K extends Columns<Whole>>(...keys: K) {
    return (tx: Tx, ...values: ValuesOf<Whole, K>): Promise<void> =>
      tx.changeRows({ change: 'delete', table, rows: [keyed(keys, values)] })
  },
})

/**
 * Makes the functions that read and write the rows of workspaces by one more column, most often their id. The rows
 * leave out their workspace.
 */
export function rowsIn<Row extends Values, const K extends keyof Row & string>(
  table: TableName,
  columns: Columns<Row>,
  key: K,
) {
  const rows = rowsOf<Row>(table, columns)
  type Id = NonNullable<Row[K]>

  return {
    find: rows.find('workspace_id', key),
    lock: (purpose: LockPurpose) => rows.lock(purpose, 'workspace_id', key),

    insert: (tx: Tx, workspaceId: string, row: Row): Promise<void> =>
      tx.changeRows({ change: 'insert', table, rows: [{ workspace_id: workspaceId, ...row }] }),

    insertAll: (tx: Tx, workspaceId: string, given: readonly Row[]): Promise<void> =>
      tx.changeRows({ change: 'insert', table, rows: given.map((row) => ({ workspace_id: workspaceId, ...row })) }),

    insertNew: (tx: Tx, workspaceId: string, row: Row): Promise<boolean> =>
      rows.insertNew(tx, { workspace_id: workspaceId, ...row }),

    update: (tx: Tx, workspaceId: string, id: Id, changes: Partial<Omit<Row, K>>): Promise<void> =>
      tx.changeRows({
        change: 'update',
        table,
        keys: ['workspace_id', key],
        rows: [{ workspace_id: workspaceId, [key]: id, ...changes }],
      }),

    remove: (tx: Tx, workspaceId: string, ids: readonly Id[]): Promise<void> =>
      tx.changeRows({ change: 'delete', table, rows: ids.map((id) => ({ workspace_id: workspaceId, [key]: id })) }),
  }
}

/** Placeholders for the arguments of a query, in their order. */
type Params<Args extends readonly unknown[]> = { [At in keyof Args]: never }

type Build<Args extends readonly unknown[]> = (sql: Sql, ...args: Params<Args>) => Knex.QueryBuilder | Knex.Raw

/** Typed as what a query takes, as `param` is. */
function paramsOf<Args extends readonly unknown[]>(count: number): Params<Args>
function paramsOf(count: number): unknown {
  return Array.from({ length: count }, (_, at) => param(String(at)))
}

/** A query with as many parameters as its function declares behind `sql`. */
const withParams = <Args extends readonly unknown[], Row>(build: Build<Args>) =>
  statement<object, Row>((sql) => build(sql, ...paramsOf<Args>(build.length - 1)))

/**
 * Makes a function that finds the first row of a query, which is compiled once with placeholders for the arguments:
 * `finder<[hash: string], LinkRow>(({ knex }, hash) => knex('password_link').where('token_hash', hash))`.
 */
export const finder = <Args extends readonly unknown[], Row>(build: Build<Args>) => {
  const found = withParams<Args, Row>(build)
  return (tx: ReadTx, ...args: Args): Promise<Row | undefined> => tx.first(found, args)
}

/** Makes a function that lists the rows of a query, which is compiled once as that of `finder` is. */
export const lister = <Args extends readonly unknown[], Row>(build: Build<Args>) => {
  const listed = withParams<Args, Row>(build)
  return (tx: ReadTx, ...args: Args): Promise<Row[]> => tx.all(listed, args)
}

/** Runs a query that counts: its first row has the number in `total`. */
export async function readTotal(
  tx: ReadTx,
  build: (sql: Sql) => Knex.QueryBuilder,
  heavy: boolean | 'scan' = true,
): Promise<number> {
  const [row] = await tx.query<{ total: number }>(build, { heavy })
  return row?.total ?? 0
}

/** Runs a query of one text column; returns its values. */
export const readColumn = async (
  tx: ReadTx,
  build: (sql: Sql) => Knex.QueryBuilder | Knex.Raw,
  options?: QueryOptions,
): Promise<string[]> =>
  (await tx.query<Readonly<Record<string, string>>>(build, options)).flatMap((row) => Object.values(row))
