import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readRows, survey } from './csv.ts'
import { RejectsFile } from './rejects.ts'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'kontor-csv-'))))
afterAll(() => rm(folder, { recursive: true }))

const rowsOf = async (content: string, delimiter = ','): Promise<(readonly string[])[]> => {
  const path = join(folder, 'rows.csv')
  await writeFile(path, content)
  const rows: (readonly string[])[] = []
  for await (const { cells } of readRows({ path, delimiter })) rows.push(cells)
  expect((await survey({ path, delimiter })).rows).toBe(rows.length - 1)
  return rows
}

test.each([
  ['Code\r\nm1\nm2\nm3\r\n', ['Code', 'm1', 'm2', 'm3']],
  ['Code\nm1\r\nm2\rm3', ['Code', 'm1', 'm2', 'm3']],
  ['Code\rm1\rm2\r\n\r\rm3\n', ['Code', 'm1', 'm2', 'm3']],
  ['Code\r"m\r1"\n"m\n2"\r\n"m\r\n3"', ['Code', 'm\r1', 'm\n2', 'm\r\n3']],
])('each kind of line end ends a row outside quotes: %j', async (content, cells) => {
  expect(await rowsOf(content)).toEqual(cells.map((cell) => [cell]))
})

test('rejected rows are written so that they are read again as they were', async () => {
  const header = ['A', 'B']
  const cells = [" 'x ", 'a\rb\n"c";d']
  const path = join(folder, 'rejects.csv')
  for (const delimiter of [',', ';', '\t']) {
    const rejects = new RejectsFile(path, header, delimiter)
    await rejects.write([{ line: 2, cells, reason: 'Why, oh; why.' }])
    await rejects.close()
    const rows: (readonly string[])[] = []
    for await (const row of readRows({ path, delimiter })) rows.push(row.cells)
    expect(rows).toEqual([
      [...header, '_line', '_reason'],
      [...cells, '2', 'Why, oh; why.'],
    ])
  }
})
