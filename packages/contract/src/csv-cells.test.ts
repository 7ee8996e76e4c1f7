import { expect, test } from 'vitest'
import { guardedCell, joinedItems, splitItems, unguardedCell } from './csv-cells.ts'

const signs = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠']

test('no text begins as a formula does, and each comes back', () => {
  const texts = signs.flatMap((sign) => [`${sign}1`, `'${sign}1`, `''${sign}`, sign, `'`.repeat(40) + sign])
  for (const text of texts) {
    expect(guardedCell(text)).toBe(`'${text}`)
    expect(unguardedCell(guardedCell(text))).toBe(text)
  }
  for (const text of ['', "'", "''", "'tis", 'a=1', ' =1', '"=1"', '1-2', "O'Brien"]) {
    expect(guardedCell(text)).toBe(text)
    expect(unguardedCell(text)).toBe(text)
  }
})

test.each([
  [[], ''],
  [['a', 'b c', "d'e", '5" pipe', 'x,y'], 'a; b c; d\'e; 5" pipe; x,y'],
  [['a;b', ';', ' c ', '"d"', 'e""f;'], '"a;b"; ";"; " c "; """d"""; "e""""f;"'],
  [['line\nend\r\nwithin', '\n'], 'line\nend\r\nwithin; "\n"'],
])('items %j are the cell %j, and back', (items, cell) => {
  expect(joinedItems(items)).toBe(cell)
  expect(splitItems(cell, ';')).toEqual(items)
})

test('cells that people write', () => {
  expect(splitItems(' a ;;b; ', ';')).toEqual(['a', 'b'])
  expect(splitItems('a|"b|c"| d', '|')).toEqual(['a', 'b|c', 'd'])
  expect(splitItems('a::"b::c" :: d', '::')).toEqual(['a', 'b::c', 'd'])
  expect(splitItems(' a;"b ', '')).toEqual(['a;"b'])
  expect(splitItems('"a\nb"\n"c" \nd', '\n')).toEqual(['a\nb', 'c', 'd'])
  expect(splitItems('""; a', ';')).toEqual(['a'])
})

test.each(['"a', 'x; "a; b', '"a" b; c', '"a""; b'])('a quote that is not closed at the end of its item: %s', (cell) =>
  expect(splitItems(cell, ';')).toBeUndefined(),
)
