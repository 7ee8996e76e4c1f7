/** A period in UTC: named ones end just before `until`, spans include it. */
export type Period = { readonly from: number; readonly until: number; readonly isSpan: boolean }

const units = ['day', 'week', 'month', 'quarter', 'year'] as const
type Unit = (typeof units)[number]

export const periodNames = [
  'yesterday',
  'today',
  'tomorrow',
  ...units.flatMap((unit) => [`last_${unit}`, `this_${unit}`, `next_${unit}`]),
]

const dayMs = 86_400_000

/** The first instant of the calendar unit that is `shift` units away from that of `now`. */
function startOf(now: number, unit: Unit, shift: number): number {
  const date = new Date(now)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (unit === 'day') return Date.UTC(year, month, day + shift)
  if (unit === 'week') return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7) + shift * 7)
  if (unit === 'month') return Date.UTC(year, month + shift)
  return unit === 'quarter' ? Date.UTC(year, Math.floor(month / 3) * 3 + shift * 3) : Date.UTC(year + shift, 0)
}

/** So many months away, on the same day or the last that the month has. */
function monthsAway(now: number, months: number): number {
  const date = new Date(now)
  const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months))
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  return first.getTime() + (Math.min(date.getUTCDate(), last) - 1) * dayMs + (now % dayMs)
}

export function periodOf(name: string, now: number): Period {
  const days: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 }
  if (name in days)
    return { from: startOf(now, 'day', days[name]!), until: startOf(now, 'day', days[name]! + 1), isSpan: false }
  const [shift, unit] = name.split('_')
  const shifts: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 }
  if (shift !== undefined && shift in shifts)
    return {
      from: startOf(now, unit as Unit, shifts[shift]!),
      until: startOf(now, unit as Unit, shifts[shift]! + 1),
      isSpan: false,
    }
  const count = Number(name.slice(0, -1))
  const ms: Readonly<Record<string, number>> = { h: 3_600_000, d: dayMs, w: 7 * dayMs }
  const months: Readonly<Record<string, number>> = { m: 1, q: 3, y: 12 }
  const letter = name.at(-1)!
  const away = letter in ms ? now + count * ms[letter]! : monthsAway(now, count * months[letter]!)
  return { from: Math.min(now, away), until: Math.max(now, away), isSpan: true }
}
