import { isList, isString, memberOf } from '../../../lib/guards.ts'

/** Tells whether what was given is the secret of a workflow. */
type IsSecret = (given: unknown) => boolean

/** A service with ways of its own to check an address before it sends there, and to say that it is the sender. */
type Sender = {
  /** The answer to a check that comes as a message; undefined of any other message. */
  readonly answerTo: (body: unknown) => { readonly challenge: string } | undefined
  /** Whether a message presents the secret where the service has a place for it. */
  readonly presents: (body: unknown, isSecret: IsSecret) => boolean
}

const noAnswer = (): undefined => undefined

/** `handshake` of the trigger, by name. */
export const senders = {
  /** https://docs.slack.dev/apis/events-api: `url_verification`; a message has the verification token of the app. */
  slack: {
    answerTo: (body) => {
      const challenge = memberOf(body, 'challenge')
      return memberOf(body, 'type') === 'url_verification' && isString(challenge) ? { challenge } : undefined
    },
    presents: (body, isSecret) => isSecret(memberOf(body, 'token')),
  },
  /** https://learn.microsoft.com/graph/change-notifications-delivery-webhooks: checks by `validationToken`. */
  graph: {
    answerTo: noAnswer,
    presents: (body, isSecret) => {
      const notifications = memberOf(body, 'value')
      return (
        isList(notifications) &&
        notifications.length > 0 &&
        notifications.every((one) => isSecret(memberOf(one, 'clientState')))
      )
    },
  },
} satisfies Readonly<Record<string, Sender>>
