import type { FieldTypeName } from '../field-schema.ts'
import type { Notation } from './notation.ts'

/** The texts of a column, and the type of the field that it fills. */
export type TypedColumn = {
  readonly name: string
  readonly type: FieldTypeName | undefined
  readonly texts: readonly string[]
}

/** A notation that texts can be read in, and what they do not decide. */
export type NotationGuess = Required<Pick<Notation, 'dates' | 'decimal'>> & {
  readonly unclear: readonly {
    readonly option: 'dates' | 'decimal'
    readonly values: readonly string[]
    readonly columns: readonly string[]
  }[]
}

const dateTypes: ReadonlySet<FieldTypeName | undefined> = new Set(['date', 'timestamp'])
const numberTypes: ReadonlySet<FieldTypeName | undefined> = new Set(['number', 'currency', 'rating'])

const dayAndMonth = /^\s*(\d{1,2})([./-])(\d{1,2})[./-]\d{4}\b/

/** The orders of day and month that a date can have; none if it does not begin with either. */
function ordersOf(text: string): readonly ('dmy' | 'mdy')[] | undefined {
  const [, first = '', mark, second = ''] = dayAndMonth.exec(text) ?? []
  if (first === '') return undefined
  if (Number(first) > 12) return ['dmy']
  if (Number(second) > 12) return ['mdy']
  // No country writes the month first, with full stops.
  return mark === '.' ? ['dmy'] : ['dmy', 'mdy']
}

/** A single mark before three digits is before decimals in one country, and between thousands in another. */
const eitherWay = /^[+-]?\d{1,3}([.,])\d{3}$/

/** The characters that can be before the decimals of a number; undefined if it has neither. */
function decimalsOf(text: string): readonly ('.' | ',')[] | undefined {
  const plain = text.trim()
  const point = plain.lastIndexOf('.')
  const comma = plain.lastIndexOf(',')
  if (point === -1 && comma === -1) return undefined
  if (eitherWay.test(plain)) return ['.', ',']
  if (point !== -1 && comma !== -1) return point > comma ? ['.'] : [',']
  const mark = point === -1 ? ',' : '.'
  const isRepeated = plain.indexOf(mark) !== plain.lastIndexOf(mark)
  return isRepeated === (mark === '.') ? [','] : ['.']
}

/** Finds the notation of dates and numbers in the texts of columns. */
export function guessNotation(columns: readonly TypedColumn[]): NotationGuess {
  const ofType = (types: ReadonlySet<FieldTypeName | undefined>) => columns.filter(({ type }) => types.has(type))
  const dates = decide(ofType(dateTypes), ordersOf)
  const decimal = decide(ofType(numberTypes), decimalsOf)
  return {
    dates: dates.decided ?? 'ymd',
    decimal: decimal.decided ?? '.',
    unclear: [
      ...(dates.unclear.length === 0
        ? []
        : [{ option: 'dates' as const, values: ['dmy', 'mdy'], columns: dates.unclear }]),
      ...(decimal.unclear.length === 0
        ? []
        : [{ option: 'decimal' as const, values: ['.', ','], columns: decimal.unclear }]),
    ],
  }
}

/** Decides by the texts that can be read in one way only; unclear if there are none, or if they differ. */
function decide<Way>(
  columns: readonly TypedColumn[],
  waysOf: (text: string) => readonly Way[] | undefined,
): { readonly decided: Way | undefined; readonly unclear: readonly string[] } {
  const found = columns.map(({ name, texts }) => ({
    name,
    ways: texts.flatMap((text) => {
      const ways = waysOf(text)
      return ways === undefined ? [] : [ways]
    }),
  }))
  const certain = new Set(found.flatMap(({ ways }) => ways.flatMap((some) => (some.length === 1 ? some : []))))
  const [decided, ...others] = certain
  const concerned = found.flatMap(({ name, ways }) => (ways.length > 0 ? [name] : []))
  if (decided !== undefined && others.length === 0) return { decided, unclear: [] }
  return { decided, unclear: concerned }
}
