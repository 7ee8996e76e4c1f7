import { z } from 'zod'
import { countryCode } from './shared.ts'

/** An offset such as +02:00 is refused: it knows no daylight saving. */
function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}

export const timeZone = z.string().max(64).refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')

/** A letter is kept for as long as it is likely to be answered. */
const retentionDays = z.int().min(31).max(3650)

const webhookUrl = z.url({ protocol: /^https?$/ }).max(2000)

const prose = z.string().max(10_000)

const postalAddress = z.string().trim().min(1).max(500)

const stage = z.string().min(1).max(200)

const monthsOffset = z.int().min(0).max(11)

const recordingScope = z.enum(['none', 'external', 'all'])

/**
 * Every setting of a workspace, declared once: what it may be, what it is until a member changes it, and what it does.
 * Closed; a key is here only if something reads it.
 */
export const settingDefinitions = {
  time_zone: {
    value: timeZone,
    meta: {
      description:
        'Where the days of the workspace begin and end; an IANA name. It applies to filters by a day or a period ' +
        '(`Within`), to conditions of workflows, and to schedules, waits of days and sending hours of campaigns ' +
        'without a time zone of their own. A wait that has begun keeps its end. `UTC` by default.',
      example: 'Europe/Berlin',
    },
    default: 'UTC',
  },
  chat_webhook_url: {
    value: webhookUrl.nullable(),
    meta: {
      description:
        'An incoming webhook of a chat, in the format of Slack, which others support too. It receives ' +
        'comments and assignments that all members may see, and failed workflows; not changes with ' +
        '`silent`. A secret: only admins see it, others see null. Null by default.',
      example: 'https://hooks.example.com/services/T000/B000/XXXX',
    },
    default: null,
    isSecret: true,
  },
  email_retention_days: {
    value: retentionDays,
    meta: {
      description:
        'Days for which e-mails of workflows and campaigns are kept with their content; 730 by default. ' +
        'Older ones are deleted within an hour; totals of campaigns and suppressions stay. E-mails to a ' +
        'person are always deleted with the person.',
      example: 365,
    },
    default: 730,
  },
  default_country: {
    value: countryCode.nullable(),
    meta: {
      description:
        'The country of phone numbers without a country code, as a two-letter code (ISO 3166): ' +
        '`202-224-3841` is then the same number as `+1 202-224-3841`. Null by default: such numbers are ' +
        'stored as typed.',
      example: 'US',
    },
    default: null,
  },
  postal_address: {
    value: postalAddress.nullable(),
    meta: {
      description:
        'The postal address of the organisation, with its name. Every e-mail with a link to unsubscribe ends with ' +
        'it, as many countries require; line breaks are kept. Null by default: no address is added.',
      example: 'Acme Ltd\n1 Main Street\nDublin D01 A2B3\nIreland',
    },
    default: null,
  },
  orgDescription: {
    value: prose.nullable(),
    meta: {
      description: 'A description of the organisation. Agents read it before their instructions. Null by default.',
      example: 'We sell software to libraries.',
    },
    default: null,
  },
  closedWonDealStage: {
    value: stage,
    meta: { description: 'The stage of deals that are won, as agents know it; `Won` by default.' },
    default: 'Won',
  },
  closedLostDealStage: {
    value: stage,
    meta: { description: 'The stage of deals that are lost, as agents know it; `Lost` by default.' },
    default: 'Lost',
  },
  fiscalYearOffset: {
    value: monthsOffset,
    meta: {
      description:
        'Months after January at which the fiscal year starts; 0 by default. Quarters and years in filters of ' +
        'records and conditions of workflows (`Within` with `this_quarter`, `last_year`) use it.',
      example: 3,
    },
    default: 0,
  },
  meetingRecordingScope: {
    value: recordingScope,
    meta: {
      description:
        'Which meetings an imported calendar creates with `recording_enabled`: `none`, those with a participant who ' +
        'is not a member of the workspace (`external`; rooms and equipment do not count), or `all`. `none` by ' +
        'default. Meetings that are over are not recorded. Other meetings keep their own `recording_enabled`: those ' +
        'that exist when the setting or their participants change, and those created through the API.',
    },
    default: 'none',
  },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly value: z.ZodType
      readonly meta: { readonly description: string; readonly example?: unknown }
      readonly default: unknown
      readonly isSecret?: true
    }
  >
>

export type SettingKey = keyof typeof settingDefinitions

export const settingKeys = Object.keys(settingDefinitions) as [SettingKey, ...SettingKey[]]

/** The settings that only admins see: their values are secrets. */
export const adminSettings: ReadonlySet<SettingKey> = new Set(
  settingKeys.filter((key) => 'isSecret' in settingDefinitions[key]),
)

type Definitions = typeof settingDefinitions

type Values = { readonly [K in SettingKey]: Definitions[K]['value'] }

/** The value of each setting, with its description. */
const describedValues = Object.fromEntries(
  settingKeys.map((key) => [key, settingDefinitions[key].value.meta(settingDefinitions[key].meta)]),
) as Values

/** All settings, as they are in force. */
export const workspaceSettings = z.object(describedValues).meta({ id: 'WorkspaceSettings' })

export type WorkspaceSettings = z.infer<typeof workspaceSettings>

export const defaultSettings: WorkspaceSettings = Object.fromEntries(
  settingKeys.map((key) => [key, settingDefinitions[key].default]),
) as { readonly [K in SettingKey]: Definitions[K]['default'] }

export const settingKey = z.enum(settingKeys).meta({ description: 'A setting.', example: 'time_zone' })

const valuesWithoutNull = settingKeys.map((key) => {
  const { value } = settingDefinitions[key]
  return value instanceof z.ZodNullable ? value.unwrap() : value
})

/** The value of a setting; its key decides which. */
export const settingValue = z.union([...new Set(valuesWithoutNull), z.null()])

type Change<K extends SettingKey> = z.ZodObject<
  { readonly key: z.ZodLiteral<K>; readonly value: Values[K] },
  z.core.$strict
>
type Changes = { readonly [K in SettingKey]: Change<K> }[SettingKey]

/** A setting and its value. */
export const settingChange = z.discriminatedUnion(
  'key',
  settingKeys.map((key) => z.strictObject({ key: z.literal(key), value: describedValues[key] })) as [
    Changes,
    ...Changes[],
  ],
)
