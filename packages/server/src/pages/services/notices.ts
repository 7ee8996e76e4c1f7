import type { Logger } from 'pino'
import type { Mailer } from '../../modules/mail/index.ts'

/** A change of how a person signs in. */
type AccountNotice = { readonly userId: string; readonly email: string; readonly change: string }

/** Tells a person by e-mail that the way they sign in has changed, and logs it; nothing waits for it. */
export type SendNotice = (notice: AccountNotice) => void

const noticeMail = ({ email, change }: AccountNotice) => ({
  to: email,
  subject: 'Your account was changed',
  text: `Hello,

${change}

If this was not you, choose a new password, and check the sign-in methods on the page of your account.
`,
})

export const noticeSender =
  (mailer: Mailer | undefined, logger: Logger, onError: (error: unknown) => void): SendNotice =>
  (notice) => {
    logger.info({ user: notice.userId, change: notice.change }, 'an account was changed')
    if (mailer !== undefined) Promise.resolve(mailer(noticeMail(notice))).catch(onError)
  }
