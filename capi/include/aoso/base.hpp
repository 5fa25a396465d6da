// Errors, the ownership of handles, views of memory, and the library itself. aoso.hpp includes this file.
#ifndef AOSO_BASE_HPP
#define AOSO_BASE_HPP

#include "base.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace aoso {

// ------------------------------------------------------------------ errors --

// What the library throws. what() names the argument, the value and what is allowed.
class error : public std::runtime_error {
public:
    // status is not AOSO_OK.
    error(aoso_status status, const std::string &message) : std::runtime_error(message), status_(status) {}

    // AOSO_INVALID_ARGUMENT etc.
    aoso_status status() const noexcept { return status_; }

private:
    aoso_status status_;
};

namespace detail {

// The exception of a callback, on its way through the C functions to the
// caller, on the same thread.
inline std::exception_ptr &thrown() {
    thread_local std::exception_ptr exception;
    return exception;
}

inline void check(aoso_status status) {
    if (thrown()) std::rethrow_exception(std::exchange(thrown(), nullptr));
    if (status != AOSO_OK) throw error(status, aoso_last_error());
}

// Runs a callback for C. Its exception waits for check, and C is told to stop.
template <class Function>
int32_t guarded(Function function) {
    try {
        return function();
    } catch (...) {
        thrown() = std::current_exception();
        return 1;
    }
}

template <auto Free>
struct freed_by {
    template <class T>
    void operator()(T *handle) const noexcept {
        Free(handle);
    }
};

// Owns a C handle.
template <class T, auto Free>
class object {
public:
    using pointer = T *;

    explicit object(T *handle) noexcept : handle_(handle) {} // takes ownership
    T *get() const noexcept { return handle_.get(); }

private:
    std::unique_ptr<T, freed_by<Free>> handle_;
};

// The handle of an object that may be absent, but not moved from.
template <class Object>
typename Object::pointer optional(const Object *object) {
    if (object && !object->get()) throw error(AOSO_INVALID_HANDLE, "an option names an object that was moved from");
    return object ? object->get() : nullptr;
}

// The object whose handle the function stores in its last argument. The handle
// is owned before anything is thrown.
template <class Object, class Function, class... Args>
Object make(Function function, const Args &...args) {
    typename Object::pointer handle = nullptr;
    const aoso_status status = function(args..., &handle);
    Object object(handle);
    check(status);
    return object;
}

// The struct that the function fills in, its last argument.
template <class Struct, class Function, class... Args>
Struct filled(Function function, const Args &...args) {
    Struct out{};
    out.struct_size = sizeof out;
    check(function(args..., &out));
    return out;
}

// Prepares a struct for a function's second result.
template <class Struct>
Struct *sized(Struct *how) {
    if (how) {
        *how = {};
        how->struct_size = sizeof *how;
    }
    return how;
}

// The bytes that a function returns through its last three arguments: buffer,
// size and needed.
template <class Bytes, class Function, class... Args>
Bytes bytes(Function function, const Args &...args) {
    std::size_t size = 0;
    check(function(args..., nullptr, 0, &size));
    Bytes out(size, 0);
    check(function(args..., out.data(), out.size(), &size));
    return out;
}

template <class Function, class... Args>
std::string text(Function function, const Args &...args) {
    std::string out = bytes<std::string>(function, args...);
    if (!out.empty()) out.pop_back(); // the final 0
    return out;
}

// The texts that a function returns through its last four arguments: buffer,
// size, needed and count. Each ends with a 0.
template <class Function, class... Args>
std::vector<std::string> texts(Function function, const Args &...args) {
    std::size_t size = 0;
    int64_t count = 0;
    check(function(args..., nullptr, 0, &size, &count));
    std::string all(size, 0);
    check(function(args..., &all[0], all.size(), &size, &count));
    std::vector<std::string> out;
    for (std::size_t at = 0; at < all.size(); at += out.back().size() + 1) out.emplace_back(all.c_str() + at);
    return out;
}

template <class Container>
using element = std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<const Container &>()))>>;

template <class Container>
int64_t count(const Container &c) {
    return static_cast<int64_t>(std::size(c));
}

template <class Strings>
std::vector<const char *> pointers(const Strings &strings) {
    std::vector<const char *> out;
    for (const std::string &s : strings) out.push_back(s.c_str());
    return out;
}

} // namespace detail

// -------------------------------------------------------------------- span --

// A view of contiguous elements. It converts from anything with data() and
// size(), including std::span.
template <class T>
class span {
public:
    constexpr span() noexcept = default;
    // size elements from data on.
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}

    // All elements of a container, which must outlive the span.
    template <class Container,
              class = std::enable_if_t<std::is_convertible_v<
                  std::remove_pointer_t<decltype(std::data(std::declval<Container &>()))> (*)[], T (*)[]>>>
    constexpr span(Container &&c) noexcept : data_(std::data(c)), size_(std::size(c)) {}

    // As in std::span.
    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

// ----------------------------------------------------------------- library --

inline std::string version() { return aoso_version_string(); }
inline int32_t abi_version() { return aoso_abi_version(); }

// JSON.
inline std::string build_info() { return detail::text(aoso_build_info); }

// Called with AOSO_LOG_WARNING or AOSO_LOG_INFO, and a message.
using log_function = std::function<void(int32_t level, const char *message)>;

// Sets the function that receives the library's messages, for the whole
// process. An empty function means no messages. The function may be called on
// several threads at once.
inline void set_log(log_function function) {
    // Never destroyed: a thread may send a message while the process ends.
    struct state {
        std::mutex mutex;
        std::shared_ptr<const log_function> function;
    };
    static state &current = *new state;
    const aoso_log_callback call = [](int32_t level, const char *message, void *) {
        detail::guarded([&] {
            std::unique_lock<std::mutex> lock(current.mutex);
            const std::shared_ptr<const log_function> log = current.function;
            lock.unlock();
            if (log) (*log)(level, message);
            return 0;
        });
    };
    const bool silent = !function;
    auto shared = silent ? nullptr : std::make_shared<const log_function>(std::move(function));
    {
        std::lock_guard<std::mutex> lock(current.mutex);
        current.function.swap(shared);
    }
    detail::check(aoso_set_log(silent ? nullptr : call, nullptr));
}

} // namespace aoso

#endif
