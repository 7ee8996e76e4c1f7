import { expect, test } from 'vitest'
import type { Cell } from './cell.ts'
import { readRows } from './rows.ts'
import { findShape } from './shape.ts'

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
const mark = '\uFEFF'

test.each([
  ['UTF-8', Buffer.from('Näme,Ört\r\nÄ,"x\ny"\r\n\r\nÖ,ü'), 'utf-8', ','],
  ['UTF-8 with a mark', Buffer.from(`${mark}Näme;Ört\nÄ;"x\ny"\nÖ;ü\n`), 'utf-8', ';'],
  ['Latin-1', Buffer.from('Näme;Ört\rÄ;"x\ny"\rÖ;ü', 'latin1'), 'windows-1252', ';'],
  ['UTF-16 of a spreadsheet', Buffer.from(`${mark}Näme\tÖrt\r\nÄ\t"x\ny"\r\nÖ\tü\r\n`, 'utf16le'), 'utf-16le', '\t'],
  ['UTF-16 without a mark', Buffer.from('Näme\tÖrt\nÄ\t"x\ny"\nÖ\tü', 'utf16le'), 'utf-16le', '\t'],
  ['UTF-16, big endian', utf16be(`${mark}sep=|\r\nNäme|Ört\r\nÄ|"x\ny"\r\nÖ|ü`), 'utf-16be', '|'],
  ['a delimiter that is named', Buffer.from('sep=;\r\nNäme;Ört\r\nÄ;"x\ny"\r\nÖ;ü'), 'utf-8', ';'],
])('reads a file window by window: %s', async (_name, bytes, encoding, delimiter) => {
  const shape = await findShape({ bytes, isWhole: true, format: 'csv' })
  expect(shape).toMatchObject({ encoding, delimiter, header: ['Näme', 'Ört'] })
  for (const size of [7, 16, 25, 1000]) {
    const rows: (readonly Cell[])[] = []
    const lines: number[] = []
    let [at, line, room] = [shape.start, shape.line, size]
    for (;;) {
      const isLast = at + room >= bytes.length
      const found = await readRows({ bytes: bytes.subarray(at, at + room), isLast, shape, line })
      rows.push(...found.map(({ cells }) => cells))
      lines.push(...found.map((row) => row.line))
      const last = found.at(-1)
      if (isLast) break
      at += last?.end ?? 0
      line = last?.line ?? line
      room = last === undefined ? room + size : size
    }
    expect(rows).toEqual([
      ['Ä', 'x\ny'],
      ['Ö', 'ü'],
    ])
    expect(new Set(lines).size).toBe(2)
  }
})

test.each([
  ['a quote that is never closed', 'a,b\n1,"2\n3,4', /line \d: a quote is opened and never closed/],
  ['text after a closing quote', 'a,b\n"An"n,2', /line 2: something follows a closing quote/],
  ['a column that is named twice', 'a,a\n', /contains "a" twice/],
  ['nothing', ' \n', /is empty/],
])('refuses %s', async (_name, text, message) => {
  const bytes = Buffer.from(text)
  const read = async () => {
    const shape = await findShape({ bytes, isWhole: true, format: 'csv' })
    return readRows({ bytes: bytes.subarray(shape.start), isLast: true, shape, line: shape.line })
  }
  await expect(read()).rejects.toThrow(message)
})

test('a quote inside a cell without quotes is read as it is written', async () => {
  const bytes = Buffer.from('a,b\n5\'10",William "Bill" Jones\nAnn,"x,\ny" \n"""x""",1\n')
  const shape = await findShape({ bytes, isWhole: true, format: 'csv' })
  const rows = await readRows({ bytes: bytes.subarray(shape.start), isLast: true, shape, line: shape.line })
  expect(rows.map(({ cells }) => cells)).toEqual([
    ['5\'10"', 'William "Bill" Jones'],
    ['Ann', 'x,\ny'],
    ['"x"', '1'],
  ])
})

test('text in another encoding than said is refused', async () => {
  const bytes = Buffer.from('ä', 'latin1')
  await expect(findShape({ bytes, isWhole: true, format: 'csv', encoding: 'utf-8' })).rejects.toThrow(/is not utf-8/)
})
