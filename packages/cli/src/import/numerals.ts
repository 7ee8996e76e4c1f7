/** The value of a numeral; undefined where a number of JavaScript, as the API has them, would be another one. */
export function exactNumber(numeral: string): number | undefined {
  const value = Number(numeral)
  return Number.isFinite(value) && digitsOf(String(value)) === digitsOf(numeral) ? value : undefined
}

/** A numeral in its one form: digits without zeros at the ends, and the power of ten that they are to be taken by. */
function digitsOf(numeral: string): string {
  const [, sign = '', whole = '', decimals = '', power = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(numeral) ?? []
  const digits = (whole + decimals).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const exponent = Number(power) - decimals.length + digits.length - significant.length
  return `${sign === '-' ? '-' : ''}${significant}e${exponent}`
}

/** What JSON.parse tells its reviver of a numeral: TypeScript does not know of it yet. */
type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown

/** JSON and its value, or a numeral in it that a number would change. Throws SyntaxError for any other text. */
export function parseJson(text: string): { readonly value: unknown } | { readonly inexact: string } {
  let inexact: string | undefined
  const watch: Reviver = (_key, value, { source }) => {
    if (typeof value === 'number' && source !== undefined && exactNumber(source) === undefined) inexact ??= source
    return value
  }
  const value: unknown = JSON.parse(text, watch as Parameters<typeof JSON.parse>[1])
  return inexact === undefined ? { value } : { inexact }
}
