//! The alarm of the computers that run: it makes the watch look at the clock once a computer's time is up.
//!
//! The watch in [`super::hook`] looks every so many instructions, and one instruction may take long: it compares two texts
//! of thirty megabytes. Therefore one thread for all computers knows when each has to have yielded, and then sets the
//! counter of the coroutine that runs, so that its very next instruction looks. It decides nothing by itself.
#![expect(unsafe_code, reason = "it reaches into a Lua state that another thread runs")]

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, Ordering, fence};
use std::sync::{Arc, LazyLock, Mutex, Once, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use mlua_sys as ffi;

/// How late a computer is stopped that is busy in one long instruction after another; waking this often costs nothing.
const PACE: Duration = Duration::from_millis(100);
/// No time at all: the computer may run for ever.
const NEVER: u64 = u64::MAX;

/// The beginning of `lua_State` in Lua 5.2, up to its hook.
#[repr(C)]
pub(super) struct StateHead {
    next: *const c_void,
    kind: u8,
    marked: u8,
    status: u8,
    top: *const c_void,
    global: *const c_void,
    call: *const c_void,
    /// Where the instruction before was, for hooks of lines.
    pub old_instruction: *const c_void,
    stack_last: *const c_void,
    stack: *const c_void,
    stack_size: c_int,
    unyieldable: u16,
    nested: u16,
    pub mask: u8,
    /// Whether hooks are called; not while one is.
    pub allowed: u8,
    between: c_int,
    count: c_int,
    pub hook: Option<ffi::lua_Hook>,
}

impl StateHead {
    /// Whether a state on which a count hook was just set looks as it is described here.
    ///
    /// # Safety
    /// The state is alive and not running.
    pub unsafe fn fits(state: *mut ffi::lua_State, hook: ffi::lua_Hook, between: c_int) -> bool {
        // SAFETY: a state is larger than this part of it.
        let head = unsafe { &*state.cast::<Self>() };
        let counts =
            [head.between, head.count] == [between; 2] && c_int::from(head.mask) == ffi::LUA_MASKCOUNT;
        counts && head.allowed == 1 && head.hook.is_some_and(|known| std::ptr::fn_addr_eq(known, hook))
    }
}

/// Makes the next instruction of a coroutine look at the clock.
///
/// # Safety
/// The state stays alive meanwhile. If another thread runs it, the two may count at the same time: then the number is lost,
/// and the alarm comes again.
unsafe fn poke(state: *mut ffi::lua_State) {
    // SAFETY: the counter is an aligned number, written as a whole.
    unsafe {
        let head = state.cast::<StateHead>();
        AtomicI32::from_ptr(&raw mut (*head).count).store(1, Ordering::Relaxed);
    }
}

/// What the alarm knows of one computer.
#[derive(Debug)]
pub(super) struct Bell {
    /// In microseconds since the program began.
    deadline: AtomicU64,
    stop: Arc<AtomicBool>,
    /// The coroutine that runs, if one does.
    running: AtomicPtr<ffi::lua_State>,
    /// Whether the alarm may be reaching into the coroutine that ran when it looked.
    reaching: AtomicBool,
    /// Whether it rang, and nobody has looked at the clock since.
    rang: AtomicBool,
}

impl Bell {
    pub fn new(stop: Arc<AtomicBool>) -> Arc<Self> {
        let bell = Arc::new(Self {
            deadline: AtomicU64::new(NEVER),
            stop,
            running: AtomicPtr::default(),
            reaching: AtomicBool::new(false),
            rang: AtomicBool::new(false),
        });
        register(&bell);
        bell
    }

    /// Sets when the computer must have yielded.
    pub fn set_deadline(&self, timeout: Duration) {
        let deadline = now().checked_add(timeout).map(|deadline| deadline.as_micros());
        let deadline = deadline.and_then(|deadline| u64::try_from(deadline).ok()).unwrap_or(NEVER);
        self.deadline.store(deadline, Ordering::Relaxed);
        self.rang.store(false, Ordering::Relaxed);
    }

    pub fn expired(&self) -> bool {
        now().as_micros() >= u128::from(self.deadline.load(Ordering::Relaxed))
    }

    pub fn stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether it is worth to look at the clock.
    pub fn rang(&self) -> bool {
        self.rang.load(Ordering::Relaxed)
    }

    /// Notes which coroutine runs from now on, and returns the one that did. That one must not go before [`Self::settle`].
    pub fn switch(&self, next: *mut ffi::lua_State) -> *mut ffi::lua_State {
        let previous = self.running.load(Ordering::Relaxed);
        self.running.store(next, Ordering::Release);
        // It may have rung for one that ran no instruction any more.
        if self.rang() && !next.is_null() {
            // SAFETY: the coroutine is about to run on this thread.
            unsafe { poke(next) };
        }
        previous
    }

    /// Waits until the alarm reaches into no coroutine but the one that runs: the others may go.
    ///
    /// Coroutines take turns far more often than they go, and the alarm rings seldom: therefore the costly part is here.
    pub fn settle(&self) {
        // Either the alarm sees what runs now, or this sees that it is reaching: both look after they have told.
        fence(Ordering::SeqCst);
        while self.reaching.load(Ordering::Acquire) {
            thread::yield_now();
        }
    }

    fn ring(&self) {
        self.reaching.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let running = self.running.load(Ordering::Acquire);
        if !running.is_null() {
            self.rang.store(true, Ordering::Relaxed);
            // SAFETY: whoever lets the coroutine go waits in `settle` before.
            unsafe { poke(running) };
        }
        self.reaching.store(false, Ordering::Release);
    }
}

static BELLS: Mutex<Vec<Weak<Bell>>> = Mutex::new(Vec::new());
static STARTED: Once = Once::new();

/// The time since the program began.
fn now() -> Duration {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGAN.elapsed()
}

fn register(bell: &Arc<Bell>) {
    BELLS.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(bell));
    STARTED.call_once(|| {
        // Without it computers are stopped later, and no less surely.
        let _ = thread::Builder::new().name("alarm".to_owned()).spawn(|| {
            loop {
                thread::sleep(PACE);
                ring_due();
            }
        });
    });
}

fn ring_due() {
    BELLS.lock().unwrap_or_else(PoisonError::into_inner).retain(|bell| {
        let Some(bell) = bell.upgrade() else { return false };
        if bell.stopping() || bell.expired() {
            bell.ring();
        }
        true
    });
}
