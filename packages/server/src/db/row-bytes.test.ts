import { expect, test } from 'vitest'
import { RowsTooLarge } from './errors.ts'
import { countedParser } from './postgres-types.ts'
import { readFitting, RowBytes } from './row-bytes.ts'
import { SqliteConnection } from './sqlite-connection.ts'

const mebibyte = 2 ** 20
const text = 'x'.repeat(mebibyte)

test('rows that are too large are read no further, and the connection works on', () => {
  const connection = new SqliteConnection(':memory:')
  const some = (count: number, bytes?: RowBytes) =>
    connection.all(
      'with recursive n (i) as (select 1 union all select i + 1 from n where i < ?) select i, ? as text from n',
      [count, text],
      bytes,
    )
  expect(some(5, new RowBytes(8 * mebibyte))).toHaveLength(5)
  expect(() => some(1_000_000, new RowBytes(8 * mebibyte))).toThrow(RowsTooLarge)
  expect(some(5)).toHaveLength(5)
  connection.close()
})

test('values of Postgres are counted as they arrive, whatever they are parsed as', () => {
  const bytes = new RowBytes(8 * mebibyte)
  const [json, bigint, plain] = [3802, 20, 25].map((oid) => countedParser(oid, bytes))
  expect([json?.('{"a":1}'), bigint?.('12'), plain?.(text)]).toEqual([{ a: 1 }, 12, text])
  expect(bytes.total).toBe('{"a":1}'.length + '12'.length + mebibyte)
  expect(() => Array.from({ length: 8 }, () => plain?.(text))).toThrow(RowsTooLarge)
})

/** Reads of 150 rows, of which so many are not too large. */
const of = (sizeMax: number) => async (rowsMax: number) => {
  if (rowsMax > sizeMax) throw new RowsTooLarge()
  return Array.from({ length: Math.min(rowsMax, 150) }, (_, index) => index)
}

test('fewer rows are read where they are too large together, down to one', async () => {
  expect((await readFitting(200, of(200))).mayHaveMore).toBe(false)
  expect(await readFitting(200, of(20))).toMatchObject({ rows: { length: 13 }, mayHaveMore: true })
  expect((await readFitting(200, of(1))).rows).toEqual([0])
  await expect(readFitting(200, of(0))).rejects.toThrow(RowsTooLarge)
})
