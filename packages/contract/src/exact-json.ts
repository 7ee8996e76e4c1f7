// Numbers are doubles here as in every client, and what a double cannot hold may not change in silence. All numerals of
// up to fifteen digits are held; only longer ones and those with an exponent are looked at.

const shape = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/
const digitsHeld = 15

/** Longest numeral that may be exact: the largest double has 309 digits. */
const numeralMax = 400

/** The same for all spellings of one number: 1.50, 15e-1. */
function canonical(numeral: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = shape.exec(numeral) ?? []
  const digits = whole + fraction
  let [from, to] = [0, digits.length]
  while (digits[from] === '0') from++
  while (to > from && digits[to - 1] === '0') to--
  if (from === to) return '0'
  const scale = Number(exponent) - fraction.length + (digits.length - to)
  return `${sign === '-' ? '-' : ''}${digits.slice(from, to)}e${scale}`
}

/** Returns whether a numeral stays the same when it is parsed and written again. */
export function isExactNumeral(numeral: string): boolean {
  if (numeral.length <= digitsHeld && !/e/i.test(numeral)) return true
  if (numeral.length > numeralMax) return false
  const value = Number(numeral)
  return Number.isFinite(value) && canonical(numeral) === canonical(String(value))
}

/** Matches every JSON with a numeral that may be inexact; also matches digits inside strings, which are harmless. */
const suspicious = /(?:^|[[,:\s])-?(?:\d[\d.]{15,}|\d[\d.]*[eE])/

/**
 * Reads JSON. Each numeral that would come back as another number is read as what `instead` writes in its place. Throws
 * what `JSON.parse` throws.
 */
export function readJson(text: string, instead: (numeral: string) => string): unknown {
  const value: unknown = JSON.parse(text)
  if (!suspicious.test(text)) return value
  const rewritten = rewrite(text, instead)
  return rewritten === text ? value : JSON.parse(rewritten)
}

/**
 * Not by a reviver, which is told the source of a numeral too: it is called for every value, and goes so deep into
 * nested ones that the stack ends.
 */
function rewrite(text: string, instead: (numeral: string) => string): string {
  const token = /"|-?\d[\d.eE+-]*/g
  let written = ''
  let until = 0
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [numeral] = found
    if (numeral === '"') token.lastIndex = endOfText(text, token.lastIndex)
    else if (!isExactNumeral(numeral)) {
      written += text.slice(until, found.index) + instead(numeral)
      until = token.lastIndex
    }
  }
  return written + text.slice(until)
}

/** Where a text ends whose first character is at `from`. */
function endOfText(text: string, from: number): number {
  const stop = /["\\]/g
  stop.lastIndex = from
  for (let found = stop.exec(text); found !== null; found = stop.exec(text)) {
    if (found[0] === '"') return stop.lastIndex
    stop.lastIndex++
  }
  return text.length
}
