import { readXml } from './xml.ts'

/** The format of the number in a cell: as a date, a time, both, with leading zeros, or as it is. */
export type NumberStyle = 'date' | 'time' | 'date and time' | 'number' | { readonly digits: number }

const stylesMax = 65_536

/** Reads the style of each cell format, by its number. */
export async function readStyles(bytes: AsyncIterable<Buffer> | undefined): Promise<readonly NumberStyle[]> {
  const codes = new Map<number, string>()
  const formats: number[] = []
  let isCells = false
  await readXml(bytes, {
    open(name, attributes) {
      if (name === 'cellXfs') isCells = true
      const id = Number(attributes['numFmtId'] ?? 0)
      if (name === 'numFmt' && codes.size < stylesMax) codes.set(id, attributes['formatCode'] ?? '')
      if (name === 'xf' && isCells && formats.length < stylesMax) formats.push(id)
    },
    close(name) {
      if (name === 'cellXfs') isCells = false
    },
  })
  return formats.map((id) => styleOf(id, codes.get(id)))
}

/** Returns the style of a format. Formats with low numbers have no code in the file (ECMA-376, part 1, 18.8.30). */
function styleOf(id: number, code: string | undefined): NumberStyle {
  if (code !== undefined) return styleOfCode(code)
  if (id === 22) return 'date and time'
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return 'date'
  return (id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47 ? 'time' : 'number'
}

function styleOfCode(code: string): NumberStyle {
  const [first = ''] = code.split(';')
  if (/^0{2,20}$/.test(first)) return { digits: first.length }
  // An elapsed time, such as [h]:mm, is a number of days.
  if (/\[[hms]+\]/i.test(first)) return 'number'
  const plain = first
    .replaceAll(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*./g, '')
    .replaceAll(/general|am\/pm|a\/p/gi, '')
    .toLowerCase()
  const hasTime = /[hs]/.test(plain)
  const hasDate = /[dy]/.test(plain) || (/m/.test(plain) && !hasTime)
  if (hasDate) return hasTime ? 'date and time' : 'date'
  return hasTime ? 'time' : 'number'
}
