import { ResetPassword } from '@/components/identity/reset-password';
import { StandAlone } from '@/components/kit/page/stand-alone';

/** Where the mailed link leads. */
export default function ResetPasswordPage() {
  return (
    <StandAlone title="New password">
      <ResetPassword />
    </StandAlone>
  );
}
