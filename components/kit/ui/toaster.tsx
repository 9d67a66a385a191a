'use client';

import { CircleAlert, CircleCheck, Info, LoaderCircle, TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { Toaster as Sonner } from 'sonner';

/** Where toasts appear; `onReady` once it listens. */
export function Toaster({ onReady }: { onReady: () => void }) {
  useEffect(onReady, [onReady]);
  return (
    <Sonner
      position="bottom-right"
      gap={8}
      closeButton
      style={{ fontFamily: 'inherit' }}
      icons={{
        success: <CircleCheck className="size-4 text-positive" />,
        error: <CircleAlert className="size-4 text-critical" />,
        warning: <TriangleAlert className="size-4 text-caution" />,
        info: <Info className="size-4 text-moving" />,
        loading: <LoaderCircle className="size-4 animate-spin text-moving" />,
      }}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast: 'toast',
          closeButton: 'toast-close',
          content: 'toast-content',
          title: 'toast-title',
          description: 'toast-description',
          actionButton: 'toast-action',
        },
      }}
    />
  );
}
